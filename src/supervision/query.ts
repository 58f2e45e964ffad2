import { randomUUID } from 'node:crypto';
import { TroupeError } from '../errors.ts';
import { readPlainValue } from '../launch/plain-value.ts';
import type { SessionOptions } from '../launch/session-options.ts';
import type { InterruptReceipt } from '../session/interrupt.ts';
import { parsePromptContent } from '../session/prompt-content.ts';
import type { PromptContent } from '../session/prompt-record.ts';
import type { Session } from '../session/session.ts';
import { createSupervisor, type Supervisor } from './supervisor.ts';

/** A message as the CLI sent it, parsed: discriminated by `type`, with fields this version may not know. */
export type QueryMessage = Record<string, unknown> & { readonly type: string };

/** One message of a streamed prompt, in the shape the official SDK takes. */
export interface UserMessageInput {
  readonly type: 'user';
  readonly message: { readonly role: 'user'; readonly content: PromptContent };
  readonly uuid?: string;
  readonly [key: string]: unknown;
}

export interface QueryInput {
  readonly prompt: string | AsyncIterable<UserMessageInput>;
  readonly options?: SessionOptions;
}

/** The messages of a query, and control over it while it runs. Leaving the loop early ends its process. */
export interface Query extends AsyncGenerator<QueryMessage, void, void> {
  interrupt(): Promise<InterruptReceipt>;
  setModel(model?: string): Promise<void>;
  setPermissionMode(mode: string): Promise<void>;
}

/** A query reads everything its process says, so it may hold far more than an ordinary subscriber before it has lagged. */
const QUERY_LIMITS = { maxSubscriberBufferItems: 1_000_000, maxSubscriberBufferBytes: 256 * 2 ** 20 };
/** After the last turn, background agents may still work for this long before the process is ended anyway. */
const BACKGROUND_CEILING_MS = 10 * 60_000;

/**
 * One conversation from start to end, called like the function of the same name in the official SDK. Throws, from the
 * first step on, INVALID_OPTIONS or the reason a start failed, and CLI_EXITED when the process is lost on the way; a turn
 * that fails is no exception but a `result` message with `is_error`.
 */
export function query({ prompt, options: given = {} }: QueryInput): Query {
  const options = readPlainValue(given).value as SessionOptions;
  const supervisor = createSupervisor({ limits: { maxSessions: 1 } });
  let starting: Promise<Session> | undefined;
  // Started with its first use: a query that is made and then forgotten costs no process.
  const begin = () => {
    starting ??= start(supervisor, options);
    return starting;
  };
  const messages = read(supervisor, begin, prompt, options.abortController?.signal);
  const leave = messages.return.bind(messages);
  // A generator that was never stepped runs no `finally`, and one that waits for a message would make its leaver wait.
  const end = async () => {
    await supervisor.shutdown();
    return leave();
  };
  const fail = messages.throw.bind(messages);
  return Object.assign(messages, {
    return: end,
    throw: async (error: unknown) => {
      await supervisor.shutdown();
      return fail(error);
    },
    [Symbol.asyncDispose]: async () => void (await end()),
    interrupt: async () => (await begin()).interrupt(),
    setModel: async (model?: string) => (await begin()).setModel(model),
    setPermissionMode: async (mode: string) => (await begin()).setPermissionMode(mode),
  });
}

function start(supervisor: Supervisor, options: SessionOptions): Promise<Session> {
  return supervisor.start({
    // Nobody holds the session, so nobody could answer a question that has no callback (R37).
    ...(options.canUseTool === undefined ? { permissionPrompts: 'none' } : {}),
    restart: { type: 'temporary' },
    ...options,
    limits: { ...QUERY_LIMITS, ...options.limits },
  });
}

async function* read(
  supervisor: Supervisor,
  begin: () => Promise<Session>,
  prompt: QueryInput['prompt'],
  abort: AbortSignal | undefined,
): AsyncGenerator<QueryMessage, void, void> {
  try {
    assertPrompt(prompt);
    const session = await begin();
    const events = session.events();
    let failure: unknown;
    const sent = new Set<string>();
    const done = drive(session, prompt, sent)
      .catch((error: unknown) => {
        failure = error;
      })
      .then(() => session.close());
    for await (const event of events) {
      if (event.type === 'subscriber.lagged') throw new TroupeError('SUBSCRIBER_LAGGED', { details: { ...event } });
      if (event.type !== 'message') continue;
      const value = event.message.value;
      if (value !== undefined && !isEcho(value, sent)) yield { ...value, type: event.message.type };
    }
    await done;
    if (failure !== undefined) throw failure;
    const { error } = await session.ended;
    if (error !== undefined) throw error;
    // A query that was cut off must not look like one that came to its end.
    if (abort?.aborted === true) throw new TroupeError('ABORTED', { cause: abort.reason });
  } finally {
    // Also when the loop was left early or threw: nothing of the query outlives it (R53).
    await supervisor.shutdown();
  }
}

/** Checked before a process is started for it. */
function assertPrompt(prompt: unknown): void {
  if (typeof prompt === 'string') void parsePromptContent(prompt);
  else if (typeof prompt !== 'object' || prompt === null || !(Symbol.asyncIterator in prompt)) {
    const reason = 'expected a text or an async iterable of user messages';
    throw new TroupeError('INVALID_PROMPT', { reason: `"prompt": ${reason}.`, details: { field: 'prompt', reason } });
  }
}

/** Sends the prompts and resolves when everything they started is done. */
async function drive(session: Session, prompt: QueryInput['prompt'], sent: Set<string>): Promise<void> {
  const results: Promise<unknown>[] = [];
  const send = (content: PromptContent, id: string) => {
    sent.add(id);
    results.push(session.prompt(content, { id, onBusy: 'steer' }).result);
  };
  try {
    if (typeof prompt === 'string') send(prompt, randomUUID());
    else await sendAll(prompt, session, send);
  } finally {
    // What was sent before the stream of prompts failed is still answered.
    await Promise.all(results);
    await session.settled({ ceilingMs: BACKGROUND_CEILING_MS });
  }
}

/** A stream is as foreign as any other input: what is no user message is named by its place. */
function readUserMessage(value: unknown, index: number): { content: PromptContent; id: string } {
  const message = isRecord(value) && isRecord(value['message']) ? value['message'] : undefined;
  if (message === undefined || !isRecord(value)) {
    const field = `prompt[${index}]`;
    const reason = 'expected a user message';
    throw new TroupeError('INVALID_PROMPT', { reason: `"${field}": ${reason}.`, details: { field, reason } });
  }
  const { uuid } = value;
  return { content: parsePromptContent(message['content']), id: typeof uuid === 'string' ? uuid : randomUUID() };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Sends prompts as they come. When the session ends first nobody waits for the next one, and the stream is told to stop. */
async function sendAll(
  prompts: AsyncIterable<UserMessageInput>,
  session: Session,
  send: (content: PromptContent, id: string) => void,
): Promise<void> {
  const iterator = prompts[Symbol.asyncIterator]();
  const over = session.ended.then(() => 'over' as const);
  let count = 0;
  while (true) {
    const step = await Promise.race([iterator.next(), over]);
    if (step === 'over') {
      iterator.return?.()?.catch(() => {});
      return;
    }
    if (step.done === true) return;
    const { content, id } = readUserMessage(step.value, count);
    count += 1;
    send(content, id);
  }
}

/** The CLI repeats our own prompts as a receipt (WIRE §11); the official SDK does not ask for it. */
function isEcho(value: Record<string, unknown>, sent: ReadonlySet<string>): boolean {
  return value['type'] === 'user' && typeof value['uuid'] === 'string' && sent.has(value['uuid']);
}
