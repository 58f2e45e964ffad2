import { setTimeout as wait } from 'node:timers/promises';
import { TroupeError } from '../../errors.ts';
import type { LogTruncated, StoredEvent, StoreReader } from '../../store/store.ts';
import { lastSeqOf, storedEventsOf } from '../../store/stored-row.ts';
import { sessionEventOf } from '../../store/stored-session-event.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { LEAVE_EXIT, type LeaveReason, onLeave } from '../leave.ts';
import { write } from '../output.ts';
import { jsonOf, lineOf } from './shown-event.ts';

interface LogFlags {
  readonly json?: true;
  readonly follow?: true;
  readonly from?: number;
}

/** Between two looks at what was written meanwhile. */
const FOLLOW_MS = 200;

/** The log from `from` on; with `follow` it goes on until somebody ends it. */
export async function showLog(reader: StoreReader, id: string, flags: LogFlags): Promise<ExitCode> {
  await expectSession(reader, id);
  const end = new AbortController();
  let why: LeaveReason | undefined;
  const stopListening = flags.follow === true ? onLeave(leave) : () => {};
  function leave(reason: LeaveReason): void {
    why ??= reason;
    end.abort();
  }
  let after = (flags.from ?? 1) - 1;
  try {
    do {
      for await (const item of reader.read({ sessionId: id, after })) {
        if (why !== undefined) break;
        await show(item, flags);
        after = 'data' in item ? lastSeqOf(item) : item.firstSeq - 1;
      }
    } while (flags.follow === true && why === undefined && (await paused(end.signal)));
  } finally {
    stopListening();
  }
  return why === undefined ? EXIT.done : LEAVE_EXIT[why];
}

/** What happened to the session itself, without its conversation. */
export async function showHistory(reader: StoreReader, id: string, flags: LogFlags): Promise<ExitCode> {
  await expectSession(reader, id);
  for await (const item of reader.read({ sessionId: id, after: 0 })) {
    if (!('data' in item) || item.type.startsWith('session.')) await show(item, flags);
  }
  return EXIT.done;
}

async function show(item: StoredEvent | LogTruncated, { json }: LogFlags): Promise<void> {
  const all = 'data' in item ? storedEventsOf(item).map(sessionEventOf) : [item];
  for (const shown of all) await write(`${json === true ? jsonOf(shown) : lineOf(shown)}\n`);
}

async function expectSession(reader: StoreReader, id: string): Promise<void> {
  if ((await reader.head(id)) !== undefined) return;
  throw new TroupeError('SESSION_NOT_FOUND', { reason: `The store knows none called ${JSON.stringify(id)}.` });
}

/** Whether it may go on. */
async function paused(signal: AbortSignal): Promise<boolean> {
  await wait(FOLLOW_MS, undefined, { signal }).catch(() => undefined);
  return !signal.aborted;
}
