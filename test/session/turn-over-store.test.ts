import { describe, expect, it } from 'vitest';
import { promptOfStored } from '../../src/session/stored-prompt.ts';
import { TurnRegistry } from '../../src/session/turn-registry.ts';
import { MemoryStore } from '../../src/store/memory-store.ts';
import type { StoredEvent } from '../../src/store/store.ts';
import { historyOf } from '../../src/store/whole-log.ts';
import { openLog } from '../store/log-harness.ts';

/** The log of a session that another host left: two messages of a turn between its start and its end. */
const LOG: readonly [type: string, facts: object][] = [
  ['prompt.accepted', { promptId: 'p' }],
  ['stderr', { line: 'before the turn' }],
  ['prompt.started', { promptId: 'p' }],
  ['message/assistant', { type: 'assistant', number: 1 }],
  ['message/assistant', { type: 'assistant', number: 2 }],
  ['prompt.ended', { promptId: 'p' }],
  ['stderr', { line: 'after the turn' }],
];
const STARTED_SEQ = 3;

describe('a turn of an earlier host, whose events only the store has', () => {
  it('is read whole, also when what was logged before it began is forgotten (P7)', async () => {
    for (let kept = LOG.length; kept >= LOG.length - STARTED_SEQ + 1; kept -= 1) {
      expect(await messagesOf(await storedTurn(LOG, kept))).toEqual([1, 2]);
    }
  });

  it('is SUBSCRIBER_LAGGED, and never waits, when some of it is forgotten, or all (P5, P6)', async () => {
    for (let kept = LOG.length - STARTED_SEQ; kept >= 0; kept -= 1) {
      await expect(messagesOf(await storedTurn(LOG, kept)), `${kept} kept`).rejects.toMatchObject({
        code: 'SUBSCRIBER_LAGGED',
      });
    }
  });

  it('is SUBSCRIBER_LAGGED when one of its events was lost with a damaged file, its end too (P5, P6)', async () => {
    for (let seq = 1; seq <= LOG.length; seq += 1) {
      const salvaged = LOG.with(seq - 1, ['log.lost', {}]);
      const reading = messagesOf(await storedTurn(salvaged));
      const isOfTheTurn = seq >= STARTED_SEQ && seq < LOG.length;
      if (isOfTheTurn) await expect(reading, `${seq}`).rejects.toMatchObject({ code: 'SUBSCRIBER_LAGGED' });
      else expect(await reading, `${seq}`).toEqual([1, 2]);
    }
  });
});

async function storedTurn(events: typeof LOG, kept = events.length) {
  const store = new MemoryStore();
  const stored = events.map(([type, facts], index): StoredEvent => {
    return { seq: index + 1, epoch: 1, at: 1, type, data: Buffer.from(JSON.stringify(facts)) };
  });
  await store.append({ sessionId: 's', epoch: 1, events: stored });
  await store.prune({ maxEventsPerSession: kept });
  // The log stays open: its session goes on.
  const { log } = openLog({}, { history: historyOf(store, 's'), lastSeq: events.length, epoch: 1 });
  const turns = new TurnRegistry(log);
  const record = { kind: 'prompt', id: 'p', state: 'ended', outcome: 'completed', acceptedAt: 1, endedAt: 1 } as const;
  turns.restore([promptOfStored({ ...record, content: null, acceptedSeq: 1, startedSeq: STARTED_SEQ })]);
  return turns.get('p');
}

async function messagesOf(turn: Awaited<ReturnType<typeof storedTurn>>): Promise<unknown[]> {
  const numbers: unknown[] = [];
  for await (const { value } of turn ?? []) numbers.push(value?.['number']);
  return numbers;
}
