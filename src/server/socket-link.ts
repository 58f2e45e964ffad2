import type { WebSocket } from 'ws';
import type { CutReason, FrontEndLink } from './json-rpc/front-end-link.ts';

/** The close codes of a WebSocket that come nearest. */
const CLOSE_CODES: Readonly<Record<CutReason, number>> = {
  'frame-too-large': 1009,
  'too-slow': 1013,
  'not-initialized': 1008,
  'not-authenticated': 1008,
  'input-ended': 1000,
  'server-closing': 1001,
};

/** The frames of a WebSocket as a link of the JSON-RPC dialect. */
export class SocketLink implements FrontEndLink {
  readonly #socket: WebSocket;
  readonly #release: (() => void)[] = [];

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('close', () => this.#letGo());
  }

  get bufferedBytes(): number {
    return this.#socket.bufferedAmount;
  }

  send(frame: string): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#socket.send(frame, () => this.#letGo());
  }

  drained(): Promise<void> {
    if (this.bufferedBytes === 0) return Promise.resolve();
    return new Promise((resolve) => this.#release.push(resolve));
  }

  close(reason: CutReason): void {
    this.#socket.close(CLOSE_CODES[reason], reason);
    this.#letGo();
    // Who does not read does not answer a farewell either.
    if (reason === 'too-slow') this.#socket.terminate();
  }

  #letGo(): void {
    for (const resolve of this.#release.splice(0)) resolve();
  }
}
