import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openBudget } from './budget-harness.ts';

/** Dollars of one request: sums of eighths are exact. */
const MAX_REQUEST_USD = 1;
const MAX_REQUESTS = 3;

type Step =
  | { readonly kind: 'prompt'; readonly session: number }
  | { readonly kind: 'request'; readonly session: number; readonly usd: number }
  | { readonly kind: 'result'; readonly session: number };

describe('any order of results of many sessions', () => {
  it('leaves sessions, keys and total with the same sum, and no prompt goes out of a scope that is spent', () => {
    fc.assert(
      fc.property(
        steps(),
        fc.constantFrom('park', 'interrupt'),
        fc.integer({ min: 1, max: 6 }),
        (order, onLimit, usd) => {
          const world = openWorld({ onLimit, usd, sessions: 4 });
          for (const step of order) world.play(step);
          const sums = world.sums();

          expect(sums.sessions).toBe(world.used());
          expect(sums.keys).toBe(world.used());
          expect(sums.total).toBe(world.used());
          // One request of each session when turns are stopped, one turn of each when they may end.
          const perSession = onLimit === 'interrupt' ? MAX_REQUEST_USD : MAX_REQUEST_USD * MAX_REQUESTS;
          expect(world.used() - usd).toBeLessThanOrEqual(perSession * 4);
          expect(world.wrongDeliveries()).toBe(0);
        },
      ),
      { numRuns: 300 },
    );
  });
});

function steps(): fc.Arbitrary<Step[]> {
  const session = fc.nat({ max: 3 });
  const usd = fc.integer({ min: 1, max: 8 }).map((eighths) => (eighths * MAX_REQUEST_USD) / 8);
  return fc.array(
    fc.oneof(
      fc.record({ kind: fc.constant('prompt' as const), session }),
      fc.record({ kind: fc.constant('request' as const), session, usd }),
      fc.record({ kind: fc.constant('result' as const), session }),
    ),
    { maxLength: 120 },
  );
}

/** Sessions that obey the verdicts as hands do: what runs may end, or is stopped before its next request. */
function openWorld(options: { onLimit: 'park' | 'interrupt'; usd: number; sessions: number }) {
  const { onLimit, usd } = options;
  const { join, open, settle, block, spent, budget } = openBudget({ limits: { total: { usd } }, onLimit });
  const ids = Array.from({ length: options.sessions }, (_, index) => `session ${index}`);
  const turns = new Map<string, { usd: number; requests: number }>();
  const stopped = new Set<string>();
  let used = 0;
  let wrongDeliveries = 0;
  budget.on('budget.reached', ({ sessions }) => {
    for (const id of sessions) if (onLimit === 'interrupt') stopped.add(id);
  });
  ids.forEach((id, index) => {
    join(id, { key: `key ${index % 2}` });
  });
  const play = (step: Step) => {
    const id = ids[step.session] ?? '';
    const turn = turns.get(id);
    if (step.kind === 'prompt' && turn === undefined && block(id) === undefined) {
      if (used >= usd) wrongDeliveries += 1;
      turns.set(id, { usd: 0, requests: 0 });
      open(id);
    }
    if (step.kind === 'request' && turn !== undefined && turn.requests < MAX_REQUESTS) {
      // A request that is on its way when the turn is stopped is paid for; none follows.
      const isLast = stopped.delete(id);
      turn.requests = isLast ? MAX_REQUESTS : turn.requests + 1;
      turn.usd += step.usd;
      used += step.usd;
      open(id, { usd: turn.usd });
    }
    if (step.kind === 'result' && turn !== undefined) {
      turns.delete(id);
      settle(id, { usd: turn.usd, turns: 1 });
    }
  };
  const sumOf = (kind: 'session' | 'key', names: string[]) =>
    names.reduce((sum, name) => sum + (spent(kind, name)?.usd ?? 0), 0);
  return {
    play,
    used: () => used,
    wrongDeliveries: () => wrongDeliveries,
    sums: () => ({
      sessions: sumOf('session', ids),
      keys: sumOf('key', ['key 0', 'key 1']),
      total: spent('total', '')?.usd,
    }),
  };
}
