import { changeLiterals } from '../redaction/json-literals.ts';

/** Names of fields whose text is chosen by one of the two sides, afresh in every run. */
const NAMED_IDS: ReadonlySet<string> = new Set(['request_id', 'uuid', 'session_id', 'callback_id', 'hookCallbackIds']);
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Which id of the recording stands for which one of the host that is there now. */
export class ReplayIds {
  readonly #live = new Map<string, string>();
  readonly #recorded = new Map<string, string>();

  /** Whether both texts may be the same id; `field`: the name under which they stand. */
  fits(recorded: string, live: string, field: string): boolean {
    const known = this.#live.get(recorded);
    if (known !== undefined) return known === live;
    if (recorded === live) return true;
    return isId(recorded, live, field) && !this.#recorded.has(live);
  }

  bind(recorded: string, live: string): void {
    if (recorded === live || this.#live.has(recorded)) return;
    this.#live.set(recorded, live);
    this.#recorded.set(live, recorded);
  }

  /** From now on another one stands for it. */
  rebind(recorded: string, live: string): void {
    this.#live.set(recorded, live);
    this.#recorded.set(live, recorded);
  }

  live(recorded: string): string | undefined {
    return this.#live.get(recorded);
  }

  /** A line of the recording with the ids of this host; every other byte stays what it was. */
  translated(line: Buffer): Buffer {
    if (this.#live.size === 0) return line;
    return changeLiterals(line, (text) => this.#live.get(text) ?? text) ?? line;
  }
}

function isId(recorded: string, live: string, field: string): boolean {
  return NAMED_IDS.has(field) || (UUID.test(recorded) && UUID.test(live));
}
