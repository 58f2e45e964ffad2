import type { OpenTransport, Transport } from '../transport/transport.ts';

/** Whether the output of a session's processes is read: not while too much of what they said waits for the store. */
export class ReadPace {
  readonly #transports = new Set<Transport>();
  #isHeld = false;

  /** Its transports are held and let go with the others. */
  paced(open: OpenTransport): OpenTransport {
    return async (plan, listeners) => {
      const transport = await open(plan, listeners);
      this.#transports.add(transport);
      void transport.finished.then(() => this.#transports.delete(transport));
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
