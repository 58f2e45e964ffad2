import { type AbortNotice, LightAbort } from '../abort-notice.ts';
import { atEndOfTurn, type Clock } from '../clock.ts';
import { TroupeError } from '../errors.ts';
import { SparseMap } from '../sparse.ts';
import { HOOK_EVENTS, type HookEvent, type HookInput } from './hook-input.ts';
import type { HookCallback, HookCallbackMatcher, HooksOption } from './hook-options.ts';
import { blockingOutput, type HookOutput, outputFault } from './hook-output.ts';

/** How one call of a hook went. */
export interface HookCall {
  readonly event: HookEvent;
  readonly matcher: string | undefined;
  readonly toolUseId: string | undefined;
  readonly outcome: 'answered' | 'failed' | 'timed-out' | 'cancelled';
  /** Why it failed; undefined when it did not. */
  readonly reason: string | undefined;
  readonly tookMs: number;
}

export interface HookDeskOptions {
  readonly hooks: HooksOption | undefined;
  readonly clock: Clock;
  /** Milliseconds for a callback whose matcher has no timeout of its own. */
  readonly deadlineMs: number;
  readonly onCalled: (call: HookCall) => void;
  /** What is told is kept by nobody but this process: an answer goes out before it is told. */
  readonly answersFirst: boolean;
}

interface Registered {
  readonly event: HookEvent;
  readonly matcher: HookCallbackMatcher;
  readonly callback: HookCallback;
}

/** The CLI counts the timeout of a matcher itself and takes the question back; only a CLI that forgets to is helped out. */
const BACKSTOP_MS = 5_000;

/** Where the hooks of a session lie. Ids stay the same over incarnations, so each new process is told the same set. */
export class HookDesk {
  readonly #options: HookDeskOptions;
  readonly #registered = new SparseMap<string, Registered>();
  readonly #wire: Record<string, unknown[]> = {};

  constructor(options: HookDeskOptions) {
    this.#options = options;
    for (const event of HOOK_EVENTS) {
      for (const matcher of options.hooks?.[event] ?? []) this.#register(event, matcher);
    }
  }

  /** The field of the `initialize` request; none when there are no hooks (WIRE §1). */
  registration(): Record<string, unknown> {
    return this.#registered.size === 0 ? {} : { hooks: this.#wire };
  }

  /**
   * Calls the hook that a `hook_callback` request names. Rejects, which becomes an error answer, only for an unknown id. Its
   * output may go to `respond` before.
   */
  async call(
    request: Readonly<Record<string, unknown>>,
    signal: AbortNotice,
    respond?: (output: HookOutput) => void,
  ): Promise<HookOutput> {
    const { callback_id: id, input, tool_use_id: toolUseId } = request;
    const registered = typeof id === 'string' ? this.#registered.get(id) : undefined;
    if (registered === undefined) throw new TroupeError('HOOK_NOT_FOUND', { details: { id } });
    const { event, matcher } = registered;
    const { clock, answersFirst } = this.#options;
    const startedAt = clock.now();
    const { kind: outcome, output, reason } = await this.#run(registered, input, textOf(toolUseId), signal);
    const tookMs = clock.now() - startedAt;
    const answer = output ?? fallback(registered, reason);
    if (answersFirst) respond?.(answer);
    this.#options.onCalled({
      event,
      matcher: matcher.matcher,
      toolUseId: textOf(toolUseId),
      outcome,
      reason,
      tookMs,
    });
    return answer;
  }

  #register(event: HookEvent, matcher: HookCallbackMatcher): void {
    const ids = matcher.hooks.map((callback) => {
      const id = `hook-${this.#registered.size}`;
      this.#registered.set(id, { event, matcher, callback });
      return id;
    });
    if (ids.length === 0) return;
    const { matcher: pattern, timeout, onFailure } = matcher;
    this.#wire[event] ??= [];
    this.#wire[event].push({
      ...(pattern === undefined ? {} : { matcher: pattern }),
      hookCallbackIds: ids,
      ...(timeout === undefined ? {} : { timeout }),
      ...(onFailure === undefined ? {} : { onFailure }),
    });
  }

  #run(
    { event, matcher, callback }: Registered,
    input: unknown,
    toolUseId: string | undefined,
    signal: AbortNotice,
  ): Promise<{ kind: HookCall['outcome']; output?: HookOutput; reason?: string }> {
    const { clock, deadlineMs } = this.#options;
    const controller = new LightAbort();
    const limitMs = matcher.timeout === undefined ? deadlineMs : matcher.timeout * 1_000 + BACKSTOP_MS;
    return new Promise((resolve) => {
      let isSettled = false;
      let timer: unknown;
      const settle = (outcome: { kind: HookCall['outcome']; output?: HookOutput; reason?: string }) => {
        isSettled = true;
        if (timer !== undefined) clock.clearTimeout(timer);
        signal.removeEventListener('abort', cancel);
        resolve(outcome);
      };
      const cancel = () => {
        controller.abort(signal.reason);
        settle({ kind: 'cancelled', reason: messageOf(signal.reason) });
      };
      const overdue = () => {
        const reason = `it took longer than ${limitMs} ms`;
        controller.abort(new TroupeError('HOOK_TIMEOUT', { reason, details: { event, deadlineMs: limitMs } }));
        settle({ kind: 'timed-out', reason });
      };
      // Most answer in the turn of the loop in which they are called: those need no deadline.
      atEndOfTurn(() => {
        if (!isSettled) timer = clock.setTimeout(overdue, limitMs);
      });
      signal.addEventListener('abort', cancel, { once: true });
      if (signal.aborted) return cancel();
      // In a promise of its own, so that a callback that throws at once fails like one that rejects.
      Promise.resolve()
        .then(() => callback(input as HookInput, toolUseId, hookContext(controller)))
        .then(
          (output) => {
            const fault = outputFault(event, output);
            if (fault === undefined) settle({ kind: 'answered', output });
            else settle({ kind: 'failed', reason: `its output is none: ${fault}` });
          },
          (error: unknown) => settle({ kind: 'failed', reason: messageOf(error) }),
        );
    });
  }
}

/** An error answer would make the CLI print its own source to stderr (WIRE §7); the failure is told by the event. */
function fallback({ event, matcher }: Registered, reason: string | undefined): HookOutput {
  return matcher.onFailure === 'block' ? blockingOutput(event, `A ${event} hook failed: ${reason}.`) : {};
}

/** Most hooks never look at their signal: it is made when they do. */
function hookContext(controller: LightAbort): { signal: AbortSignal } {
  return {
    get signal() {
      return controller.signal;
    },
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
