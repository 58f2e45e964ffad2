import { systemClock } from '../../clock.ts';
import type { TroupeError } from '../../errors.ts';
import type { SessionOptions } from '../../launch/session-options.ts';
import type { Session } from '../../session/session.ts';
import type { TurnResult } from '../../session/turn-result.ts';
import type { Supervisor } from '../../supervision/supervisor.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { LEAVE_EXIT, type LeaveReason } from '../leave.ts';
import type { RunOutput } from './run-output.ts';
import { type ShownTurns, showTurns } from './shown-turns.ts';

export interface RunRequest {
  readonly prompt: string;
  readonly options: SessionOptions;
  /** Milliseconds for the whole run; `Infinity` has no end. */
  readonly timeoutMs: number;
  /** How long background agents may go on after the result of the prompt. */
  readonly backgroundMs: number;
  readonly output: RunOutput;
  /** Puts one line before the person, beside the output. */
  readonly tell: (line: string) => void;
  /** Calls the listener each time the run is asked to leave; returns the way to stop it. */
  readonly onLeave: (listener: (why: LeaveReason) => void) => () => void;
}

type StopReason = LeaveReason | 'timeout';

interface RunEnd extends ShownTurns {
  readonly result: TurnResult;
  /** True when background agents were still at work after their time. */
  readonly isCut: boolean;
  /** Why the session ended, unless by being closed. */
  readonly error: TroupeError | undefined;
}

/**
 * One prompt from start to end, with the background agents it started. The first Ctrl-C interrupts, the second one kills;
 * every other reason to leave kills at once.
 */
export async function run(supervisor: Supervisor, request: RunRequest): Promise<ExitCode> {
  const stop = new Stop();
  const starting = new AbortController();
  let session: Session | undefined;
  const ask = (why: StopReason) => {
    const isFirst = stop.because === undefined;
    stop.ask(why);
    if (session === undefined) starting.abort(new Error(why));
    else if (isFirst && isGentle(why)) void interrupt(session, stop);
    else void session.kill();
  };
  const stopListening = request.onLeave(ask);
  const timer = systemClock.setTimeout(() => ask('timeout'), request.timeoutMs);
  try {
    // Who waits at a terminal wants the limit for an answer, not hours of silence.
    session = await supervisor.start({ onQuota: 'ignore', ...request.options, signal: starting.signal });
    const end = await follow(session, stop, request);
    return stop.because === undefined ? report(end, request) : stopped(stop.because, request);
  } catch (error) {
    if (stop.because === undefined) throw error;
    return stopped(stop.because, request);
  } finally {
    systemClock.clearTimeout(timer);
    await supervisor.shutdown();
    // Only now: a signal that nobody hears would leave the process tree behind.
    stopListening();
  }
}

/** Why the run was stopped from outside. */
class Stop {
  because: StopReason | undefined;
  /** Resolves when an interrupt was answered, whatever it had to stop. */
  readonly interrupted: Promise<void>;
  readonly tookEffect: () => void;

  constructor() {
    const { promise, resolve } = withResolver();
    this.interrupted = promise;
    this.tookEffect = resolve;
  }

  /** The first reason counts, but who kills decides the exit code. */
  ask(why: StopReason): void {
    if (this.because === undefined || (isGentle(this.because) && !isGentle(why))) this.because = why;
  }
}

function withResolver(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

function isGentle(why: StopReason): boolean {
  return why === 'interrupted' || why === 'timeout';
}

async function interrupt(session: Session, stop: Stop): Promise<void> {
  // An interrupt that has no effect in time replaces the process; the turn ends in every case.
  await session.interrupt({ cancelQueued: true }).catch(() => {});
  stop.tookEffect();
}

async function follow(session: Session, stop: Stop, request: RunRequest): Promise<RunEnd> {
  const events = session.events();
  const turn = session.prompt(request.prompt);
  const finish = async () => {
    const result = await turn.result;
    const isCut = await waitForBackground(session, stop, request.backgroundMs);
    await session.close();
    return { result, isCut, error: (await session.ended).error };
  };
  const [end, shown] = await Promise.all([finish(), showTurns(events, turn.id, request.output)]);
  return { ...end, ...shown };
}

/** Resolves with true when the time was up. */
async function waitForBackground(session: Session, stop: Stop, backgroundMs: number): Promise<boolean> {
  const endsAt = systemClock.now() + backgroundMs;
  // Older CLIs do not tell when an interrupted agent is gone: the answer to the interrupt is the end of the wait.
  await Promise.race([session.settled({ ceilingMs: backgroundMs }), stop.interrupted]);
  return systemClock.now() >= endsAt;
}

function report({ result, isCut, error, denials, lateFailure }: RunEnd, request: RunRequest): ExitCode {
  const { tell } = request;
  if (result.outcome !== 'completed') {
    tell(result.error?.message ?? `The turn was ${result.outcome}.`);
    return EXIT.failed;
  }
  if (isCut) tell(`Background agents did not end within ${request.backgroundMs / 1000} s and were stopped.`);
  else if (error !== undefined) tell(error.message);
  else if (lateFailure !== undefined) tell(`A later turn ended with an error: ${lateFailure}`);
  // Work that was refused because nobody could be asked is not done (R37).
  else if (denials > 0 && request.options.permissionPrompts === 'none') {
    tell(
      `${denials} ${denials === 1 ? 'tool call was' : 'tool calls were'} denied: nobody is here to allow them (see --allowed-tools).`,
    );
  } else return EXIT.done;
  return EXIT.failed;
}

function stopped(because: StopReason, request: RunRequest): ExitCode {
  if (because === 'timeout') {
    request.tell(`The run did not end within ${request.timeoutMs / 1000} s and was stopped.`);
    return EXIT.failed;
  }
  if (because === 'interrupted') request.tell('Interrupted.');
  return LEAVE_EXIT[because];
}
