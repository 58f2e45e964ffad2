import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ErrorCode } from '../../../src/errors.ts';
import { checkStore } from '../../../src/store/sqlite/check.ts';
import { findDriver } from '../../../src/store/sqlite/driver.ts';
import { salvageStore } from '../../../src/store/sqlite/salvage.ts';
import { openSqliteStoreOn } from '../../../src/store/sqlite/sqlite-store.ts';
import type { Store, StoredEvent } from '../../../src/store/store.ts';
import { event, permission, prompt, session } from '../../../src/testing/store-samples.ts';
import { inlineThread } from '../../store/sqlite/inline-thread.ts';
import { attempt, attemptAsync } from '../refusals.ts';
import { type FuzzRunner, type FuzzTarget, holds } from '../target.ts';

const REFUSALS: readonly ErrorCode[] = [
  'STORE_DAMAGED',
  'STORE_FOREIGN',
  'STORE_NEWER',
  'STORE_UNREACHABLE',
  'STORE_HELD',
  'STORE_FULL',
  'STORE_CONFLICT',
  'STORE_TAKEN_OVER',
];
const SESSIONS = ['a', 'b', 'c'];
const EVENTS = 60;

/** Where the file is hurt: a byte that is changed, and how, for each three bytes of the input. */
export const target: FuzzTarget = {
  name: 'store-files',
  promise:
    'P7, P10 A store with any bytes wrong is opened or refused with a code, and what is said to be saved is there.',
  format: 'bytes',
  seeds: () => [Buffer.alloc(0), Buffer.from([1, 0, 0, 200]), Buffer.from([2, 5, 0, 9])],
  open,
};

async function open(): Promise<FuzzRunner> {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-fuzz-store-'));
  const whole = join(folder, 'whole.db');
  await fill(whole);
  const bytes = readFileSync(whole);
  const hurt = join(folder, 'hurt.db');
  const saved = join(folder, 'saved.db');
  const remove = (path: string) => {
    for (const ending of ['', '-wal', '-shm', '-journal', '-lock', '-lease']) rmSync(path + ending, { force: true });
  };
  return {
    run: async (input) => {
      for (const path of [hurt, saved]) remove(path);
      writeFileSync(hurt, damaged(bytes, input));
      await salvages(hurt, saved);
      attempt(() => checkStore(hurt), ...REFUSALS);
      const opened = await attemptAsync(() => openInline(hurt), ...REFUSALS);
      if ('value' in opened) await uses(opened.value);
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function openInline(path: string): Promise<Store> {
  return openSqliteStoreOn(path, { durability: 'strict' }, () => inlineThread(findDriver().open));
}

async function fill(path: string): Promise<void> {
  const store = await openInline(path);
  for (const [at, sessionId] of SESSIONS.entries()) {
    for (let seq = 1; seq <= EVENTS; seq += 6) {
      const records = [session(), prompt(`p${seq}`), ...(at === 1 ? [permission(`q${seq}`)] : [])];
      await store.append({
        sessionId,
        epoch: 1,
        events: Array.from({ length: 6 }, (_, index) => one(seq + index)),
        records,
      });
    }
  }
  await store.close();
}

function one(seq: number): StoredEvent {
  const data = new TextEncoder().encode(JSON.stringify({ seq, text: 'x'.repeat((seq * 37) % 900) }));
  return event(seq, { data });
}

/** Four bytes of the input each: what is done, where (two bytes, in 64ths of a page), and with what. */
function damaged(whole: Buffer, input: Buffer): Buffer {
  let file = Buffer.from(whole);
  for (let at = 0; at + 3 < input.length && at < 400; at += 4) {
    const [what = 0, byte = 0] = [input[at], input[at + 3]];
    const place = (input.readUInt16BE(at + 1) * 64 + byte) % Math.max(1, file.length);
    switch (what % 6) {
      case 0:
        file[place] = (file[place] ?? 0) ^ (1 << (byte % 8));
        break;
      case 1:
        file[place] = byte;
        break;
      case 2:
        file.fill(byte, place, place + 512);
        break;
      case 3:
        // Seldom: where nothing can be read any more, looking for what can be takes seconds.
        if (byte % 16 === 0) file = file.subarray(0, place);
        break;
      case 4: {
        const page = Math.floor(place / 4_096) * 4_096;
        file.copy(file, page, (byte % Math.max(1, Math.floor(file.length / 4_096))) * 4_096, 4_096 * (1 + byte));
        break;
      }
      default:
        // The first hundred bytes say what the rest is.
        file[byte % 100] = what;
    }
  }
  return file;
}

async function salvages(path: string, target: string): Promise<void> {
  const found = await attemptAsync(() => salvageStore(path, target), ...REFUSALS);
  if (!('value' in found)) return;
  const { events, lostEvents, sessions } = found.value;
  const store = await openInline(target);
  try {
    let [kept, lost] = [0, 0];
    for (const id of idsIn(target)) {
      const head = await store.head(id);
      let next = head?.firstSeq ?? 1;
      for await (const event of store.read({ sessionId: id, after: 0 })) {
        if (!('data' in event)) continue;
        holds(event.seq === next, `After event ${next - 1} of ${id} comes ${event.seq}.`);
        const { count = 1 } = event;
        next = event.seq + count;
        if (event.type === 'log.lost') lost += 1;
        else kept += count;
      }
      holds(next === (head?.lastSeq ?? 0) + 1, `${id} ends with ${next - 1}, and its head says ${head?.lastSeq}.`);
    }
    holds(lost === lostEvents, `${lostEvents} events are said to be lost, and ${lost} are told as lost.`);
    // Two rows that a damaged page shows twice are counted twice.
    holds(kept <= events, `${events} events are said to be saved, and ${kept} are there.`);
    holds(kept === events || sessions >= 0, 'More is told than there is.');
  } finally {
    await store.close();
  }
}

function idsIn(path: string): string[] {
  const database = findDriver().open(path, { readOnly: true });
  try {
    return database
      .prepare('SELECT id FROM sessions')
      .all()
      .map((row) => String(row['id']));
  } finally {
    database.close();
  }
}

async function uses(store: Store): Promise<void> {
  try {
    await attemptAsync(
      async () => {
        for await (const _ of store.sessions());
      },
      ...REFUSALS,
    );
    for (const id of SESSIONS) {
      await attemptAsync(() => store.head(id), ...REFUSALS);
      await attemptAsync(() => store.snapshot(id), ...REFUSALS);
      await attemptAsync(
        async () => {
          for await (const _ of store.read({ sessionId: id, after: 0 }));
        },
        ...REFUSALS,
      );
    }
    const next = { sessionId: 'a', epoch: 1, events: [one(EVENTS + 1)], records: [session()] };
    await attemptAsync(() => store.append(next), ...REFUSALS);
    await attemptAsync(() => store.prune({ maxEventsPerSession: 10 }), ...REFUSALS);
  } finally {
    await attemptAsync(() => store.close(), ...REFUSALS);
  }
}
