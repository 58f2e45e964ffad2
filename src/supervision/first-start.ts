import { TroupeError } from '../errors.ts';
import { causeOf, errorOf } from '../session/exit-cause.ts';
import type { SessionEnd } from '../session/session-end.ts';
import { onAbort } from './abort-watch.ts';
import type { BuiltSession } from './session-factory.ts';

/** A fresh session ends instead of being quarantined; one that was taken over is kept. */
const ANSWERED: ReadonlySet<string> = new Set(['ready', 'awaiting-permission', 'parked', 'quarantined']);
/** Who has it by its id may send it to sleep before it was ready; nothing wakes it but a prompt, so nobody waits for that (P5). */
const ANSWERED_LATER: ReadonlySet<string> = new Set([...ANSWERED, 'hibernated']);
const CALLED_OFF = { reason: 'The start was called off.' };

/**
 * Waits for the first ready state, or for the first obstacle: parked, it takes prompts too. A first start that fails is the
 * caller's to see, and nothing of it stays behind.
 */
export function whenReady(
  { life }: BuiltSession,
  { signal, isStopping }: { readonly signal: AbortSignal | undefined; readonly isStopping: () => boolean },
): Promise<void> {
  // It may be parked already: an obstacle is seen before anything is waited for.
  if (ANSWERED.has(life.state)) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const stopWatching = signal === undefined ? () => {} : onAbort(signal, () => life.stop('kill'));
    const look = (): void => {
      if (!life.isOver && !ANSWERED_LATER.has(life.state)) return;
      stopListening();
      stopWatching();
      // Asked for only now: what waits for the end of a session is kept as long as it lives.
      if (life.isOver) void life.ended.then(fail);
      else resolve();
    };
    const fail = ({ cause }: SessionEnd): void => {
      if (signal?.aborted === true) reject(new TroupeError('ABORTED', { cause: signal.reason }));
      else if (cause.code === 'closed' && isStopping()) reject(new TroupeError('SUPERVISOR_STOPPED', CALLED_OFF));
      else reject(errorOf(cause));
    };
    const stopListening = life.onChange(look);
    if (life.isOver) look();
  });
}

/**
 * Resolves when the store has the session; undefined where there is none. Rejects with its reason where it does not take it;
 * nothing of the session stays behind then.
 */
export function keptStart({ life, log, journal }: BuiltSession): Promise<void> | undefined {
  if (journal === undefined) return undefined;
  const kept = new Promise<void>((resolve, reject) => {
    log.whenKept(resolve, (error) => {
      life.stop('kill', causeOf(error));
      void life.ended.then(() => reject(error));
    });
  });
  // A start that fails for another reason tells that one.
  kept.catch(() => {});
  return kept;
}

/** A registered session is started by its first prompt: until it was ready once the signal may end that start. */
export function endStartOnAbort({ life }: BuiltSession, signal: AbortSignal): void {
  const stopWatching = onAbort(signal, () => life.stop('kill'));
  const stopListening = life.onChange(() => {
    if (life.state === 'ready') finish();
  });
  const finish = () => {
    stopWatching();
    stopListening();
  };
  void life.ended.then(finish);
}

/** A caller that gives an abort controller ends the session by it at any time. */
export function closeOnAbort({ life }: BuiltSession, signal: AbortSignal): void {
  const stopWatching = onAbort(signal, () => life.stop('kill'));
  if (signal.aborted) life.stop('kill');
  void life.ended.then(stopWatching);
}
