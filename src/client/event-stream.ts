import { EventSourceParserStream } from 'eventsource-parser/stream';
import { TroupeError } from '../errors.ts';
import { backoffMs, pause } from './backoff.ts';
import type { Http } from './http.ts';

/** One frame of a stream. */
export interface StreamFrame {
  readonly type: string;
  readonly id: string | undefined;
  readonly data: string;
}

/** `live`: what comes is what happens. `waiting`: the server cannot be reached at present. */
export type StreamState = 'connecting' | 'replaying' | 'live' | 'waiting' | 'ended';

export interface StreamOptions {
  readonly http: Http;
  readonly path: string;
  readonly query: () => Readonly<Record<string, string | boolean | undefined>>;
  /** Where to go on; asked before each try. */
  readonly cursor: () => string | undefined;
  readonly onFrame: (frame: StreamFrame) => void;
  /** Resolves when there is room for another frame; undefined while there is. Until then none is read, and silence is no loss. */
  readonly room?: () => Promise<void> | undefined;
  readonly onState: (state: StreamState) => void;
  /** When it will be tried again, in epoch milliseconds. */
  readonly onRetryAt: (at: number) => void;
  /** True when nothing more will come. */
  readonly isOver: () => boolean;
  /** Hears what no further try would change: the session is unknown, the token is none. */
  readonly onRefused: (error: TroupeError) => void;
  /** Silence after which the server is taken for lost: heartbeats come each 15 s. Default 45 000. */
  readonly silenceMs?: number | undefined;
}

const SILENCE_MS = 45_000;
/** Answers that another try may change. */
const PASSING: ReadonlySet<unknown> = new Set([408, 425, 429, 500, 502, 503, 504]);

/** Follows a stream of the server until it is closed, over every loss of the connection. */
export class EventStream {
  readonly #options: StreamOptions;
  readonly #closing = new AbortController();

  constructor(options: StreamOptions) {
    this.#options = options;
    void this.#follow();
  }

  close(): void {
    this.#closing.abort();
  }

  async #follow(): Promise<void> {
    const { onState, onRefused, isOver } = this.#options;
    const { signal } = this.#closing;
    // Whoever made it knows it by then.
    await Promise.resolve();
    for (let failed = 0; !signal.aborted && !isOver(); ) {
      onState(failed === 0 ? 'connecting' : 'waiting');
      try {
        await this.#once(() => {
          failed = 0;
        });
        failed += 1;
      } catch (error) {
        failed += 1;
        if (isFinal(error) && !signal.aborted) {
          onState('ended');
          return onRefused(error);
        }
      }
      if (signal.aborted || isOver()) break;
      const waitMs = backoffMs(failed);
      this.#options.onRetryAt(Date.now() + waitMs);
      onState('waiting');
      await pause(waitMs, signal).catch(() => {});
    }
    onState('ended');
  }

  /** One connection, to its end. */
  async #once(received: () => void): Promise<void> {
    const { http, path, query, cursor, onFrame, room, silenceMs = SILENCE_MS } = this.#options;
    const silence = new AbortController();
    let timer = setTimeout(() => silence.abort(), silenceMs);
    let isFull = false;
    const heard = () => {
      clearTimeout(timer);
      if (!isFull) timer = setTimeout(() => silence.abort(), silenceMs);
    };
    const signal = AbortSignal.any([this.#closing.signal, silence.signal]);
    try {
      const id = cursor();
      const headers = { accept: 'text/event-stream', ...(id === undefined ? {} : { 'last-event-id': id }) };
      const response = await http.open(path, { headers, query: query(), signal });
      if (response.body === null) return;
      const decoder = new TextDecoder();
      const text = new TransformStream<Uint8Array, string>({
        transform(chunk, controller) {
          heard();
          controller.enqueue(decoder.decode(chunk, { stream: true }));
        },
      });
      const frames = response.body.pipeThrough(text).pipeThrough(new EventSourceParserStream()).getReader();
      for (let next = await frames.read(); !next.done; next = await frames.read()) {
        received();
        const { event: type = 'message', id: at, data } = next.value;
        if (!this.#closing.signal.aborted) onFrame({ type, id: at, data });
        for (let full = room?.(); full !== undefined; full = room?.()) {
          isFull = true;
          clearTimeout(timer);
          await full;
        }
        if (isFull) {
          isFull = false;
          heard();
        }
      }
    } finally {
      clearTimeout(timer);
    }
  }
}

function isFinal(error: unknown): error is TroupeError {
  if (!TroupeError.is(error)) return false;
  const { httpStatus } = error.details;
  return typeof httpStatus === 'number' && !PASSING.has(httpStatus);
}
