import type { PermissionRequest } from '../../permissions/permission-request.ts';
import { logOf, type Session } from '../../session/session.ts';
import { isRun, type LogEntry } from '../../store/event-run.ts';
import type { ObservedEvent, SubscriberEvent } from '../../store/session-event.ts';

export interface AttachmentParts {
  readonly session: Session;
  /** Events behind this one are told. */
  readonly from: number;
  /** Resolves when the next may come; undefined for at once. */
  readonly hear: (entry: LogEntry | SubscriberEvent) => Promise<void> | undefined;
  readonly ask: (request: PermissionRequest) => void;
  readonly settled: (event: Extract<ObservedEvent, { readonly type: 'permission.settled' }>) => void;
  readonly onEnd: () => void;
}

/** One front end that follows one session: the events in their order, and the questions that are open. */
export class Attachment {
  readonly session: Session;
  readonly #parts: AttachmentParts;
  readonly #events: AsyncIterableIterator<LogEntry | SubscriberEvent>;
  readonly #waiting = new Set<() => boolean>();
  #toldSeq: number;
  #isOver = false;

  constructor(parts: AttachmentParts) {
    this.session = parts.session;
    this.#parts = parts;
    this.#toldSeq = parts.from;
    this.#events = logOf(parts.session).followEntries({ from: parts.from });
    void this.#follow();
    for (const request of parts.session.permissions.pending()) parts.ask(request);
  }

  /** Resolves when everything that the log holds by now was told, or nothing more will be. */
  caughtUp(): Promise<void> {
    const { seq } = this.session.snapshot();
    return new Promise((resolve) => {
      const isDone = () => {
        if (!this.#isOver && this.#toldSeq < seq) return false;
        resolve();
        return true;
      };
      if (!isDone()) this.#waiting.add(isDone);
    });
  }

  end(): void {
    void this.#events.return?.();
  }

  async #follow(): Promise<void> {
    for await (const event of this.#events) {
      if (!isRun(event)) this.#tellQuestion(event);
      const pause = this.#parts.hear(event);
      if (pause !== undefined) await pause;
      if (isRun(event)) this.#toldSeq = Math.max(this.#toldSeq, event.lastSeq);
      else if ('seq' in event) this.#toldSeq = Math.max(this.#toldSeq, event.seq);
      else if (event.type === 'subscriber.lagged') this.#toldSeq = Math.max(this.#toldSeq, event.to);
      this.#review();
    }
    this.#isOver = true;
    this.#review();
    this.#parts.onEnd();
  }

  #tellQuestion(event: ObservedEvent): void {
    if (event.type === 'permission.settled') this.#parts.settled(event);
    // What a rule decides is decided by then: nobody is asked for it.
    if (event.type === 'permission.requested') setImmediate(() => this.#ask(event.requestId));
  }

  #ask(requestId: string): void {
    const request = this.#isOver ? undefined : this.session.permissions.get(requestId);
    if (request !== undefined && request.settlement === undefined) this.#parts.ask(request);
  }

  #review(): void {
    for (const isDone of [...this.#waiting]) if (isDone()) this.#waiting.delete(isDone);
  }
}
