import { describe, expect, it } from 'vitest';
import { waitFor } from 'xstate';
import { type Ending, endingOf, endings, isAskedFor, isFinal, ruleOf } from '../../machines/child/endings.ts';
import { verdictOn } from '../../machines/group/strategy.ts';
import type { EndCause } from '../../machines/session/session.events.ts';
import { ERROR_CODES } from '../../src/errors.ts';
import { openChild, readyChild } from './child-harness.ts';

/** Codes that are reserved for what is not built yet. */
const RESERVED = ['QUOTA_REACHED'];

describe('the table of endings', () => {
  it('names codes that exist, each for one ending only', () => {
    const codes = endings().flatMap((ending) => ruleOf(ending).codes);
    expect(new Set(codes).size).toBe(codes.length);
    const unknown = codes.filter((code) => code !== 'closed' && !RESERVED.includes(code) && !(code in ERROR_CODES));
    expect(unknown).toEqual([]);
    for (const ending of endings()) {
      for (const code of ruleOf(ending).codes) expect(endingOf(code)).toBe(ending);
    }
  });

  it('says of every ending what follows, and whether that counts and waits (P8, R62)', () => {
    const words = (ending: Ending) => {
      const { consequence, isCounted, hasBackoff } = ruleOf(ending);
      return [consequence, ...(isCounted ? ['counts'] : []), ...(hasBackoff ? ['waits'] : [])].join(' ');
    };
    expect(Object.fromEntries(endings().map((ending) => [ending, words(ending)]))).toEqual({
      asked: 'stop',
      killed: 'stop',
      'host-lost': 'quarantine',
      'host-shutdown': 'stop',
      left: 'restart counts waits',
      crash: 'restart counts waits',
      'killed-from-outside': 'restart counts waits',
      'out-of-memory': 'restart-once waits',
      'spawn-failed': 'restart counts waits',
      'start-timeout': 'restart counts waits',
      stalled: 'restart counts waits',
      'protocol-fault': 'restart-once counts waits',
      'store-failed': 'restart counts waits',
      'mcp-server-missing': 'restart counts waits',
      unrecorded: 'restart-once',
      'oversize-line': 'quarantine',
      repeating: 'quarantine',
      'conversation-missing': 'quarantine',
      'conversation-taken': 'quarantine',
      'option-refused': 'quarantine',
      'start-refused': 'quarantine',
      'no-room': 'quarantine',
      survivors: 'quarantine',
      auth: 'park',
      quota: 'park',
      budget: 'park',
    });
  });

  it('is data: JSON, with words for people in every row', () => {
    for (const ending of endings()) {
      const rule = ruleOf(ending);
      expect(JSON.parse(JSON.stringify(rule))).toEqual(rule);
      expect(rule.recognised.length).toBeGreaterThan(10);
      expect(rule.advice.length).toBeGreaterThan(10);
    }
  });

  it('treats what it does not know as a start that was refused: it is not repeated (P8)', () => {
    expect(endingOf('SOMETHING_NEW')).toBe('start-refused');
    expect(isFinal('start-refused')).toBe(true);
  });
});

describe('a transient session that was ready, after an end of the kind', () => {
  it.each(endings())('%s, does what the table says (P8, R62)', async (ending) => {
    const { child, state } = await readyChild();

    child.send(ended(ending));

    const { consequence, isCounted, hasBackoff } = ruleOf(ending);
    const states = {
      stop: 'stopped',
      restart: 'backing-off',
      'restart-once': 'backing-off',
      quarantine: 'quarantined',
      park: 'quarantined',
    };
    expect(state()).toBe(states[consequence]);
    const { context } = child.getSnapshot();
    expect(context.restarts).toEqual(isCounted ? [1_000] : []);
    expect(context.backoffMs).toBe(hasBackoff ? 1_000 : 0);
    expect(context.failed.map(({ cause, at, incarnation }) => [cause.ending, at, incarnation])).toEqual(
      isAskedFor(ending) ? [] : [[ending, 1_000, 1]],
    );
  });

  it.each(endings())('%s, is not started again when it is temporary', async (ending) => {
    const { child, state } = await readyChild({ type: 'temporary' });
    child.send(ended(ending));
    expect(state()).toBe('stopped');
  });

  it.each(endings())('%s, ends with its first start when it was never ready', async (ending) => {
    const { child, state, admission, output } = openChild();
    admission.grant();
    await waitFor(child, (snapshot) => snapshot.matches('running'));
    child.send(ended(ending));
    expect(state()).toBe('stopped');
    expect(output()?.cause.ending).toBe(ending);
  });
});

describe('an end that is worth one restart', () => {
  const once = endings().filter((ending) => ruleOf(ending).consequence === 'restart-once');

  it.each(once)('sets the session aside when it comes again before any progress: %s (R62)', async (ending) => {
    const { child, state, again } = await readyChild({ intensity: 100 });
    await again(cause(ending), 1_000);

    child.send({ ...ended(ending), at: 3_600_000 });

    expect(state()).toBe('quarantined');
    const { context } = child.getSnapshot();
    expect(context.cause).toMatchObject({ code: cause(ending).code, ending: 'repeating', details: { again: ending } });
    expect(context.failed.map((failure) => failure.cause.ending)).toEqual([ending, 'repeating']);
  });

  it.each(once)('is worth another one after a turn was completed: %s', async (ending) => {
    const { child, state, again } = await readyChild({ intensity: 100 });
    await again(cause(ending), 1_000);
    child.send({ type: 'incarnation.progressed' });

    child.send({ ...ended(ending), at: 3_600_000 });

    expect(state()).toBe('backing-off');
  });

  it('is not forgotten for a crash of another kind in between (R62)', async () => {
    const { child, state, again } = await readyChild({ intensity: 100 });
    await again(cause('out-of-memory'), 1_000);
    await again(cause('crash'), 2_000);

    child.send(ended('out-of-memory'));

    expect(state()).toBe('quarantined');
  });

  it('is forgiven when the owner starts the session by hand', async () => {
    const { child, state, again, admission } = await readyChild();
    await again(cause('out-of-memory'), 1_000);
    child.send(ended('out-of-memory'));
    child.send({ type: 'child.start' });
    admission.grant();
    await waitFor(child, (snapshot) => snapshot.matches('running'));
    expect(child.getSnapshot().context.failed).toEqual([]);

    child.send(ended('out-of-memory'));

    expect(state()).toBe('backing-off');
  });

  it('is judged by the session also where a group decides: the second end is final', async () => {
    const { child, admission, state } = await readyChild({ isMember: true });
    child.send(ended('out-of-memory'));
    child.send({ type: 'child.start' });
    admission.grant();
    await waitFor(child, (snapshot) => snapshot.matches('running'));

    child.send(ended('out-of-memory'));

    expect(state()).toBe('held');
    expect(child.getSnapshot().context.cause?.ending).toBe('repeating');
  });
});

it('a permanent session comes back also from an end that was asked for, and that counts; not from the end of its host', async () => {
  for (const [ending, expected] of [
    ['asked', 'backing-off'],
    ['killed', 'backing-off'],
    ['host-shutdown', 'stopped'],
  ] as const) {
    const { child, state } = await readyChild({ type: 'permanent' });
    child.send(ended(ending));
    expect(state()).toBe(expected);
    expect(child.getSnapshot().context.restarts).toHaveLength(expected === 'stopped' ? 0 : 1);
  }
});

it('keeps a bounded number of the failures that led to a quarantine (P9)', async () => {
  const { child, restartAt } = await readyChild({ intensity: 100 });
  for (let at = 1; at <= 25; at += 1) await restartAt(at);
  const { failed } = child.getSnapshot().context;
  expect(failed).toHaveLength(20);
  expect(failed.at(-1)).toMatchObject({ at: 25, incarnation: 25 });
});

describe('a group, after an end of a transient member of the kind', () => {
  it.each(endings())('%s, decides by the same table (P8)', (ending) => {
    const members = [{ id: 'a', restart: 'transient', significant: false, status: 'up' }] as const;
    const rules = { strategy: 'one_for_one', autoShutdown: 'never', intensity: 1, periodMs: 60_000 } as const;

    const verdict = verdictOn({ id: 'a', cause: cause(ending), at: 1_000 }, members, [], rules);

    const { consequence, isCounted } = ruleOf(ending);
    const kinds = {
      stop: 'let-go',
      restart: 'restart',
      'restart-once': 'restart',
      quarantine: 'set-aside',
      park: 'set-aside',
    };
    expect(verdict.kind).toBe(kinds[consequence]);
    if (verdict.kind === 'restart') expect(verdict.restarts).toEqual(isCounted ? [1_000] : []);
  });
});

function cause(ending: Ending): EndCause {
  return { code: ruleOf(ending).codes[0] ?? 'CLI_EXITED', message: 'It ended.', ending };
}

function ended(ending: Ending) {
  return { type: 'incarnation.ended', cause: cause(ending), at: 1_000, chance: 0.5 } as const;
}
