import type { RemoteSession } from '../../client/remote-session.ts';
import type { TroupeClient } from '../../client/troupe-client.ts';
import { TroupeError } from '../../errors.ts';
import type { SessionEvent, SubscriberEvent } from '../../store/session-event.ts';
import type { SessionView } from '../../view/session-view.ts';
import type { ViewEvent } from '../../view/view-event.ts';
import { CliMessage } from '../../wire/cli-message.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { LEAVE_EXIT, type LeaveReason, onLeave } from '../leave.ts';
import { write } from '../output.ts';
import { jsonOf, lineOf } from '../store/shown-event.ts';

export interface LogFlags {
  readonly json?: true;
  readonly follow?: true;
  readonly from?: number;
}

/** As many as one answer may hold. */
const PAGE = 500;

type Shown = SessionEvent | SubscriberEvent;

/** The log of a session as its server has it, from `from` on; with `follow` it goes on until the session ends, or somebody ends it. */
export async function showRemoteLog(client: TroupeClient, id: string, flags: LogFlags): Promise<ExitCode> {
  const end = new AbortController();
  let why: LeaveReason | undefined;
  const stopListening = onLeave((reason) => {
    why ??= reason;
    end.abort();
  });
  try {
    const after = (flags.from ?? 1) - 1;
    for await (const event of logOf(client, id, { after, follow: flags.follow === true, signal: end.signal })) {
      if (why !== undefined) break;
      await write(`${flags.json === true ? jsonOf(event) : lineOf(event)}\n`);
    }
  } catch (error) {
    if (why === undefined) throw error;
  } finally {
    stopListening();
  }
  return why === undefined ? EXIT.done : LEAVE_EXIT[why];
}

/** What happened to the session itself, without its conversation. */
export async function showRemoteHistory(client: TroupeClient, id: string, { json }: LogFlags): Promise<ExitCode> {
  for await (const event of logOf(client, id, { after: 0, follow: false })) {
    if ('epoch' in event && !event.type.startsWith('session.')) continue;
    await write(`${json === true ? jsonOf(event) : lineOf(event)}\n`);
  }
  return EXIT.done;
}

interface Reading {
  readonly after: number;
  readonly follow: boolean;
  readonly signal?: AbortSignal;
}

/** What is logged; of a session that is over it is asked for page by page, because nobody follows one any more. */
async function* logOf(client: TroupeClient, id: string, reading: Reading): AsyncGenerator<Shown> {
  try {
    yield* streamed(client, id, reading);
  } catch (error) {
    if (!TroupeError.is(error) || error.code !== 'SESSION_NOT_FOUND') throw error;
    yield* paged(client, id, reading.after);
  }
}

async function* streamed(client: TroupeClient, id: string, { after, follow, signal }: Reading): AsyncGenerator<Shown> {
  // Whether there is a server and such a session: a stream tries again for ever where there is none.
  await client.session(id).read();
  const session = client.session(id, { replay: 'all' });
  const lost = new AbortController();
  const stop = session.connection.subscribe((state) => {
    if (!follow && state === 'waiting') lost.abort();
  });
  try {
    yield* shownOf(session, { after, follow, signal: AbortSignal.any([lost.signal, ...(signal ? [signal] : [])]) });
  } finally {
    stop();
  }
  // Whoever wants no more than what is there does not wait for another server.
  if (lost.signal.aborted) throw new TroupeError('SERVER_UNREACHABLE', { reason: 'It went away amid its answer.' });
}

async function* shownOf(session: RemoteSession, { after, follow, signal }: Required<Reading>): AsyncGenerator<Shown> {
  for await (const event of session.events({ signal })) {
    if (event.type === 'snapshot') {
      if (event.from > after) yield { type: 'log.truncated', from: after, firstSeq: event.from + 1 };
    } else if (event.type === 'replay.completed') {
      if (!follow) return;
    } else if (event.type === 'subscriber.lagged') yield event;
    else if (event.seq > after) yield loggedOf(event);
  }
}

async function* paged(client: TroupeClient, id: string, after: number): AsyncGenerator<Shown> {
  const path = `/v1/sessions/${encodeURIComponent(id)}/log`;
  for (let next: number | undefined = after; next !== undefined; ) {
    const ask = { query: { after: next, limit: PAGE } };
    const page: { events: readonly (ViewPageEvent | PageNotice)[]; next?: number } = await client.ask(path, ask);
    for (const event of page.events) yield event.type === 'message' ? loggedOf(textOf(event)) : event;
    next = page.next;
  }
}

/** The line of a message as `logs --json` prints it. */
export function lineOfMessage(event: ViewEvent): string {
  return jsonOf(loggedOf(event));
}

function loggedOf(event: ViewEvent): SessionEvent {
  if (event.type !== 'message') return event;
  const { line, kind, subtype, seq, epoch, at } = event;
  return { type: 'message', message: new CliMessage(Buffer.from(line), kind, subtype), seq, epoch, at };
}

/** In a page the line of a message is JSON itself, or bytes. */
type ViewPageEvent = Exclude<ViewEvent, { type: 'message' }> | PageMessage;
type PageNotice = Extract<SubscriberEvent, { type: 'log.truncated' }>;

interface PageMessage extends Omit<Extract<ViewEvent, { type: 'message' }>, 'line'> {
  readonly line?: unknown;
  readonly base64?: string;
}

function textOf({ line, base64, ...rest }: PageMessage): ViewEvent {
  return { ...rest, line: base64 === undefined ? JSON.stringify(line) : Buffer.from(base64, 'base64').toString() };
}

/** The newest events that are kept of a session, at most so many. */
export async function newestOf(client: TroupeClient, { id, seq }: SessionView, most: number): Promise<ViewEvent[]> {
  const path = `/v1/sessions/${encodeURIComponent(id)}/log`;
  const ask = { query: { after: Math.max(0, seq - most), limit: PAGE } };
  const { events } = await client.ask<{ events: readonly (ViewPageEvent | PageNotice)[] }>(path, ask);
  return events.flatMap((event) => {
    if (!('epoch' in event)) return [];
    return event.type === 'message' ? [textOf(event)] : [event];
  });
}
