import type { ServerResponse } from 'node:http';

/** No proxy may keep, change or gather what is streamed. */
const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
} as const;

const HEARTBEAT = Buffer.from(': heartbeat\n\n');

/** The response of one reader of a stream. What it does not take yet stays in its socket, and nothing more is written then. */
export class SseConnection {
  readonly #response: ServerResponse;
  readonly #drained: () => void;
  #isBlocked = false;
  #isClosed = false;

  /** `drained`: it takes more again. `closed`: it is gone, told once. */
  constructor(response: ServerResponse, hands: { drained: () => void; closed: () => void }) {
    this.#response = response;
    this.#drained = hands.drained;
    response.on('drain', () => {
      this.#isBlocked = false;
      this.#drained();
    });
    const close = () => {
      if (this.#isClosed) return;
      this.#isClosed = true;
      hands.closed();
    };
    response.on('close', close);
    // A reader that went away while something was written to it.
    response.on('error', close);
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** It has not taken what was written before. */
  get isBlocked(): boolean {
    return this.#isBlocked;
  }

  /** `headers`: what the server sets on every response. */
  open(headers: Readonly<Record<string, string | number | string[] | undefined>>): void {
    for (const [name, value] of Object.entries(headers)) {
      if (value !== undefined) this.#response.setHeader(name, value);
    }
    this.#response.writeHead(200, HEADERS);
    this.#response.flushHeaders();
    this.#response.socket?.setNoDelay(true);
  }

  write(frame: Buffer): void {
    if (this.#isClosed || frame.length === 0) return;
    this.#isBlocked = !this.#response.write(frame);
  }

  /** To whoever takes something: a reader learns by it that the other side is there. */
  heartbeat(): void {
    if (!this.#isBlocked) this.write(HEARTBEAT);
  }

  end(): void {
    if (!this.#isClosed) this.#response.end();
  }
}
