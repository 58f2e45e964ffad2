/** What our own code needs of an AbortSignal. A real one fits, too. */
export interface AbortNotice {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/**
 * An AbortController for what is nearly always over before anybody wants to know: a real one costs more than all the rest of
 * an answer, so it is made when somebody asks for its signal.
 */
export class LightAbort implements AbortNotice {
  #isAborted = false;
  #reason: unknown;
  /** Two at most, nearly always: a list costs less than a Set. */
  #listeners: (() => void)[] | undefined;
  #controller: AbortController | undefined;

  get aborted(): boolean {
    return this.#isAborted;
  }

  get reason(): unknown {
    return this.#reason;
  }

  /** A real signal, for code that is not ours. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#isAborted) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Each listener is called once, whatever the options say. */
  addEventListener(_type: 'abort', listener: () => void): void {
    if (this.#isAborted) return;
    this.#listeners ??= [];
    if (!this.#listeners.includes(listener)) this.#listeners.push(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    const index = this.#listeners?.indexOf(listener) ?? -1;
    if (index !== -1) this.#listeners?.splice(index, 1);
  }

  /** The first reason stays. */
  abort(reason?: unknown): void {
    if (this.#isAborted) return;
    this.#isAborted = true;
    this.#controller?.abort(reason);
    this.#reason = this.#controller?.signal.reason ?? reason;
    const listeners = this.#listeners;
    this.#listeners = undefined;
    for (const listener of listeners ?? []) listener();
  }
}

/** The real signal behind a notice, for code that is not ours. */
export function signalOf(notice: AbortNotice): AbortSignal {
  if (notice instanceof AbortSignal) return notice;
  if (notice instanceof LightAbort) return notice.signal;
  const controller = new AbortController();
  if (notice.aborted) controller.abort(notice.reason);
  else notice.addEventListener('abort', () => controller.abort(notice.reason), { once: true });
  return controller.signal;
}
