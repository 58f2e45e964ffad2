import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { EventRun } from '../../src/store/event-run.ts';
import type { SessionEvent } from '../../src/store/session-event.ts';
import { SessionJournal, type SessionJournalOptions } from '../../src/store/session-journal.ts';
import { storedEventsOf } from '../../src/store/stored-row.ts';
import { sessionEventOf } from '../../src/store/stored-session-event.ts';
import { CliMessage } from '../../src/wire/cli-message.ts';
import { DeltaLayout } from '../../src/wire/delta-layout.ts';
import { LineRun } from '../../src/wire/line-run.ts';
import { steeredStore } from './steered-store.ts';

describe('the journal of a session (P7)', () => {
  it('puts lines that came at one moment in one row, and lines of a run as they are', async () => {
    const { journal, store } = newJournal();
    journal.take(message(1, 'one', 5));
    journal.take(message(2, 'two', 5));
    journal.takeRun(run(3, ['three', 'four é漢🦊', 'five'], 5));
    journal.takeRun(run(6, ['six'], 6));
    journal.take(stderr(7));
    await settled(journal);

    const { events } = store.given[0] ?? { events: [] };
    expect(events.map(({ seq, count, at }) => [seq, count ?? 1, at])).toEqual([
      [1, 5, 5],
      [6, 1, 6],
      [7, 1, 6],
    ]);
    const told = events.flatMap(storedEventsOf).map(sessionEventOf);
    expect(told.map((event) => (event.type === 'message' ? event.message.text : event.type))).toEqual([
      ...['one', 'two', 'three', 'four é漢🦊', 'five', 'six'].map(delta),
      'stderr',
    ]);
    expect(told.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(journal.unkept).toBeUndefined();
  });

  it('counts each line of a run among what waits, and publishes to the last of them', async () => {
    const { journal, store, published } = newJournal();
    store.steer('hold');
    journal.takeRun(run(1, ['a', 'b', 'c'], 5));
    expect(journal.unkept).toMatchObject({ events: 3, since: 5 });

    await turn();
    store.steer(undefined);
    await settled(journal);
    expect(published).toEqual([3]);
  });

  it('keeps behind an event what was logged while its records were asked for, also when the store failed before (P2, P7)', async () => {
    const asked: number[] = [];
    const { journal, store, published, unkept } = newJournal(undefined, ({ seq }) => {
      // As a clock does that finds the host stood still.
      if (seq === 1 || seq === 4) journal.take(stderr(seq + 1));
      asked.push(seq);
      return undefined;
    });
    journal.take(stderr(1));
    let isKept = false;
    journal.whenKept(
      () => {
        isKept = true;
      },
      () => {},
    );
    await settled(journal);
    expect(isKept).toBe(true);
    store.steer('STORE_FULL');
    journal.take(stderr(3));
    await turn();
    // From here on each is told at once.
    journal.take(stderr(4));
    store.steer(undefined);
    journal.retry();
    await settled(journal);

    expect(asked).toEqual([1, 2, 3, 4, 5]);
    expect(published).toEqual([2, 3, 4, 5]);
    expect(unkept).toEqual([]);
    expect((await store.head('a'))?.lastSeq).toBe(5);
  });

  it('asks that less is read while more than half of its room is taken, and no more once it is kept (P9, P10)', async () => {
    const { journal, store, pressed } = newJournal({ maxItems: 8, maxBytes: 1_000_000 });
    store.steer('hold');
    journal.takeRun(run(1, ['a', 'b', 'c', 'd'], 5));
    expect(pressed.at(-1)).toBe(false);
    journal.take(message(5, 'e', 5));
    expect(pressed.at(-1)).toBe(true);

    await turn();
    store.steer(undefined);
    await settled(journal);
    expect(pressed.at(-1)).toBe(false);
  });

  it('ends no session for what was read at once while the store works, however small its room; where it fails it does (P5, P9)', async () => {
    const { journal, store, pressed, published, unkept } = newJournal({ maxItems: 2, maxBytes: 200 });
    journal.takeRun(run(1, ['a', 'b', 'c', 'd'], 5));
    journal.take(message(5, 'e', 5));
    expect(pressed.at(-1)).toBe(true);
    await settled(journal);
    expect(published).toEqual([5]);
    expect(unkept).toEqual([]);

    store.steer('STORE_FULL');
    journal.takeRun(run(6, ['f', 'g', 'h', 'i'], 6));
    await turn();
    journal.take(message(10, 'j', 6));
    expect(unkept).toEqual(['STORE_FULL']);
  });

  it('has a bound for what waits also while the store works (P9)', () => {
    const { journal, store, unkept } = newJournal({ maxItems: 2, maxBytes: 200 });
    store.steer('hold');
    for (let seq = 1; seq <= 10_000 && unkept.length === 0; seq += 1) journal.take(message(seq, 'a', 5));
    expect(unkept).toEqual(['STORE_OVERLOADED']);
  });

  it('asks for no pause of a store that fails: what waits too long ends the session instead (P5)', async () => {
    const { journal, store, pressed } = newJournal({ maxItems: 8, maxBytes: 1_000_000 });
    store.steer('STORE_FULL');
    journal.takeRun(run(1, ['a', 'b', 'c', 'd', 'e'], 5));
    expect(pressed.at(-1)).toBe(true);

    await turn();
    expect(pressed.at(-1)).toBe(false);
    journal.take(message(6, 'f', 5));
    expect(pressed.at(-1)).toBe(false);
  });
});

function newJournal(
  limits = { maxItems: 1_000, maxBytes: 1_000_000 },
  recordsOf: SessionJournalOptions['recordsOf'] = () => undefined,
) {
  const [pressed, published, unkept]: [boolean[], number[], string[]] = [[], [], []];
  const store = steeredStore();
  const nothing = () => {};
  const journal = new SessionJournal({
    sessionId: 'a',
    store,
    limits,
    recordsOf,
    onUnkept: ({ code }) => unkept.push(code),
    pressed: (isPressed) => pressed.push(isPressed),
    kept: nothing,
    failed: nothing,
    deadline: () => nothing,
    lost: nothing,
  });
  journal.attach({ isSealed: false, append: nothing, publish: (upTo) => published.push(upTo), discard: nothing }, 0);
  return { journal, store, pressed, published, unkept };
}

function settled(journal: SessionJournal): Promise<void> {
  return new Promise((resolve) => journal.whenIdle(resolve));
}

function stderr(seq: number): SessionEvent {
  return { type: 'stderr', line: 'a line', seq, epoch: 1, at: 6 };
}

function message(seq: number, text: string, at: number): SessionEvent {
  return {
    type: 'message',
    message: new CliMessage(Buffer.from(delta(text)), 'stream_event', undefined),
    seq,
    epoch: 1,
    at,
  };
}

function run(seq: number, texts: readonly string[], at: number): EventRun {
  const layout = DeltaLayout.of(Buffer.from(delta('x')));
  if (layout === undefined) throw new Error('It has no layout.');
  const bytes = Buffer.from(texts.map((text) => `${delta(text)}\n`).join(''));
  return new EventRun(seq, 1, at, new LineRun(bytes, texts.length, layout));
}

function delta(text: string): string {
  const event = `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"${text}"}}`;
  const id = '00000000-0000-4000-8000-000000000000';
  return `{"type":"stream_event","event":${event},"session_id":"c","parent_tool_use_id":null,"uuid":"${id}"}`;
}
