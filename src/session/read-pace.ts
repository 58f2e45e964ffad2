import type { OpenTransport, Transport } from '../transport/transport.ts';

/** Whether the output of a session's processes is read: not while too much of what they said waits for the store. */
export class ReadPace {
  #transports: readonly Transport[] = [];
  #isHeld = false;

  /** Its transports are held and let go with the others. */
  paced(open: OpenTransport): OpenTransport {
    return async (plan, listeners) => {
      const transport = await open(plan, listeners);
      this.#transports = [...this.#transports, transport];
      void transport.finished.then(() => {
        this.#transports = this.#transports.filter((other) => other !== transport);
      });
      if (this.#isHeld) transport.pause();
      return transport;
    };
  }

  hold(isHeld: boolean): void {
    if (this.#isHeld === isHeld) return;
    this.#isHeld = isHeld;
    for (const transport of this.#transports) {
      if (isHeld) transport.pause();
      else transport.resume();
    }
  }
}
