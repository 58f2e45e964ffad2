import { signal } from '@preact/signals';
import { createParser } from 'eventsource-parser';
import type { Connection, Problem } from './source.ts';

export interface Frame {
  readonly type: string;
  readonly data: string;
}

interface StreamOptions {
  /** The address of the next connection. */
  readonly url: () => string;
  /** Where the next connection goes on: `<epoch>:<seq>`. */
  readonly cursor?: () => string | undefined;
  readonly onFrame: (frame: Frame, id: string | undefined) => void;
  /** It is refused for good. */
  readonly onRefused?: (problem: Problem) => void;
  /** Whether an end of the stream is one: nothing more will come. */
  readonly isOver?: () => boolean;
}

/** Twice what the server is silent for at most, and a little. */
const SILENCE_MS = 35_000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;

/** Follows a stream of events over losses of the connection, until it is closed. */
export function followedStream(options: StreamOptions) {
  const connection = signal<Connection>({ state: 'connecting' });
  const end = new AbortController();
  let failures = 0;

  async function follow(): Promise<void> {
    while (!end.signal.aborted) {
      const verdict = await once().catch(() => 'lost' as const);
      if (end.signal.aborted) return;
      if (verdict === 'over') return;
      const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures) * (0.75 + Math.random() / 2);
      failures += 1;
      connection.value = { state: 'reconnecting', retryAt: Date.now() + waitMs };
      await pause(waitMs, end.signal);
    }
  }

  async function once(): Promise<'lost' | 'over'> {
    const silence = new AbortController();
    let timer = setTimeout(() => silence.abort(), SILENCE_MS);
    const heard = () => {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENCE_MS);
    };
    try {
      const cursor = options.cursor?.();
      const response = await fetch(options.url(), {
        headers: { accept: 'text/event-stream', ...(cursor === undefined ? {} : { 'last-event-id': cursor }) },
        signal: AbortSignal.any([end.signal, silence.signal]),
      });
      if (!response.ok || response.body === null) return await refused(response);
      failures = 0;
      connection.value = { state: 'live' };
      const parser = createParser({
        onEvent: ({ event = 'message', data, id }) => options.onFrame({ type: event, data }, id),
      });
      const decoder = new TextDecoder();
      const reader = response.body.getReader();
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        heard();
        parser.feed(decoder.decode(part.value, { stream: true }));
      }
      return options.isOver?.() === true ? 'over' : 'lost';
    } finally {
      clearTimeout(timer);
    }
  }

  async function refused(response: Response): Promise<'lost' | 'over'> {
    if (response.status === 401) {
      connection.value = { state: 'logged-out' };
      return 'over';
    }
    // What the server cannot do now it may do later; what is not there will not come.
    if (response.status >= 500 || response.status === 429) return 'lost';
    options.onRefused?.(await problemIn(response));
    return 'over';
  }

  void follow();
  return { connection, close: () => end.abort() };
}

/** The problem that an answer holds; without one, what its status says. */
export async function problemIn(response: Response): Promise<Problem> {
  const body: unknown = await response.json().catch(() => undefined);
  const { status } = response;
  if (!isRecord(body)) return { code: `HTTP_${status}`, title: response.statusText, status };
  const text = (name: string) => (typeof body[name] === 'string' ? body[name] : undefined);
  const [detail, field, { details }] = [text('detail'), text('field'), body];
  return {
    code: text('code') ?? `HTTP_${status}`,
    title: text('title') ?? response.statusText,
    status,
    ...(detail === undefined ? {} : { detail }),
    ...(field === undefined ? {} : { field }),
    ...(isRecord(details) ? { details } : {}),
  };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    const stop = () => {
      clearTimeout(timer);
      resolve();
    };
    signal.addEventListener('abort', stop, { once: true });
    // Somebody who looks again need not wait.
    addEventListener('online', stop, { once: true });
  });
}
