import type { ShownEvent } from './host-program.ts';

/** What one reader was told of the logs of some sessions, over all lives of their host: the same number, the same event. */
export class SeenLogs {
  readonly #logs = new Map<string, Map<number, ShownEvent>>();
  readonly #outcomes = new Map<string, string[]>();
  readonly #accepted = new Set<string>();
  readonly #settled = new Set<string>();
  /** The last number that the present reader of each log was told. */
  #read = new Map<string, number>();

  /** The readers are gone with their host. */
  turnPage(): void {
    this.#read = new Map();
  }

  /** Begins to read a log, where the last reader ended or from its beginning; returns the cursor. */
  begin(id: string, goesOn: boolean): number {
    const from = goesOn ? Math.max(0, ...this.#of(id).keys()) : 0;
    if (!this.#read.has(id)) this.#read.set(id, from);
    return from;
  }

  /** Takes an event; returns what is wrong with it. */
  add(id: string, event: ShownEvent): string | undefined {
    const { seq } = event;
    if (seq === undefined || event.epoch === undefined) {
      return event.type === 'replay.completed' ? undefined : `A reader of ${id} was told ${JSON.stringify(event)}.`;
    }
    const before = this.#read.get(id) ?? 0;
    this.#read.set(id, seq);
    const known = this.#of(id).get(seq);
    this.#of(id).set(seq, event);
    if (known === undefined) this.#note(event);
    if (seq !== before + 1) return `A reader of ${id} was told ${seq} after ${before}.`;
    if (known === undefined || canonical(known) === canonical(event)) return undefined;
    return `The event ${seq} of ${id} was ${canonical(known)}, and is ${canonical(event)}.`;
  }

  /** Everything that anybody was told of a session, by number. */
  of(id: string): ReadonlyMap<number, ShownEvent> {
    return this.#of(id);
  }

  /** How a prompt ended, as often as the log says so. */
  outcomesOf(promptId: string): readonly string[] {
    return this.#outcomes.get(promptId) ?? [];
  }

  isAccepted(promptId: string): boolean {
    return this.#accepted.has(promptId);
  }

  isSettled(requestId: string): boolean {
    return this.#settled.has(requestId);
  }

  #note(event: ShownEvent): void {
    const promptId = String(event['promptId']);
    if (event.type === 'prompt.accepted') this.#accepted.add(promptId);
    if (event.type === 'permission.settled') this.#settled.add(String(event['requestId']));
    if (event.type === 'prompt.ended')
      this.#outcomes.set(promptId, [...this.outcomesOf(promptId), String(event['outcome'])]);
  }

  #of(id: string): Map<number, ShownEvent> {
    const log = this.#logs.get(id) ?? new Map<number, ShownEvent>();
    this.#logs.set(id, log);
    return log;
  }
}

/** The same for equal events, in whatever order their fields came. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );
}
