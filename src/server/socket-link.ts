import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { Clock } from '../clock.ts';
import type { CutReason, FrontEndLink } from './json-rpc/front-end-link.ts';
import type { RunMessages } from './json-rpc/run-messages.ts';

/** The close codes of a WebSocket that come nearest. */
const CLOSE_CODES: Readonly<Record<CutReason, number>> = {
  'frame-too-large': 1009,
  'too-slow': 1013,
  'not-initialized': 1008,
  'not-authenticated': 1008,
  'input-ended': 1000,
  'server-closing': 1001,
};

/** What comes within so many milliseconds is written at once: a write costs more than what is in it. */
const GATHER_MS = 12;

/** The frames of a WebSocket as a link of the JSON-RPC dialect. */
export class SocketLink implements FrontEndLink {
  readonly #socket: WebSocket;
  /** Below the socket: whole frames may be written there between those that it writes itself. */
  readonly #stream: Duplex;
  readonly #clock: Clock;
  readonly #release: (() => void)[] = [];
  #gathered: Buffer[] = [];
  #gatheredBytes = 0;
  #timer: unknown;

  constructor(socket: WebSocket, stream: Duplex, clock: Clock) {
    this.#socket = socket;
    this.#stream = stream;
    this.#clock = clock;
    socket.on('close', () => {
      this.#flush();
      this.#letGo();
    });
  }

  get bufferedBytes(): number {
    return this.#socket.bufferedAmount + this.#gatheredBytes;
  }

  send(frame: string): void {
    this.#flush();
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#socket.send(frame, () => this.#letGo());
  }

  sendRun({ frames }: RunMessages): boolean {
    if (frames === undefined) return false;
    if (this.#socket.readyState !== this.#socket.OPEN) return true;
    this.#gathered.push(frames);
    this.#gatheredBytes += frames.length;
    this.#timer ??= this.#clock.setTimeout(() => this.#flush(), GATHER_MS);
    return true;
  }

  drained(): Promise<void> {
    if (this.bufferedBytes === 0) return Promise.resolve();
    return new Promise((resolve) => this.#release.push(resolve));
  }

  close(reason: CutReason): void {
    this.#flush();
    this.#socket.close(CLOSE_CODES[reason], reason);
    this.#letGo();
    // Who does not read does not answer a farewell either.
    if (reason === 'too-slow') this.#socket.terminate();
  }

  #flush(): void {
    if (this.#timer === undefined) return;
    this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    const gathered = this.#gathered;
    this.#gathered = [];
    this.#gatheredBytes = 0;
    if (this.#socket.readyState !== this.#socket.OPEN) {
      this.#letGo();
      return;
    }
    this.#stream.cork();
    for (const frames of gathered) this.#stream.write(frames, () => this.#letGo());
    this.#stream.uncork();
  }

  #letGo(): void {
    for (const resolve of this.#release.splice(0)) resolve();
  }
}
