import type { SessionOptions } from '../../launch/session-options.ts';
import type { Session } from '../../session/session.ts';
import type { TurnResult } from '../../session/turn-result.ts';
import type { Supervisor } from '../../supervision/supervisor.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { RunOutput } from './run-output.ts';

export interface RunRequest {
  readonly prompt: string;
  readonly options: SessionOptions;
  /** Milliseconds for the whole run; `Infinity` has no end. */
  readonly timeoutMs: number;
  readonly output: RunOutput;
  /** Puts one line before the person, beside the output. */
  readonly tell: (line: string) => void;
  /** Calls the listener at each Ctrl-C; returns the way to stop it. */
  readonly onInterrupt: (listener: () => void) => () => void;
}

/** One prompt from start to end. The first Ctrl-C interrupts the turn, the second one kills. */
export async function run(supervisor: Supervisor, request: RunRequest): Promise<ExitCode> {
  const stop = new StopAsked();
  const starting = new AbortController();
  let session: Session | undefined;
  const interrupt = (why: 'interrupted' | 'timeout') => {
    const isSecond = stop.because !== undefined;
    stop.because ??= why;
    if (session === undefined) starting.abort(new Error(why));
    else if (isSecond) void session.kill();
    // An interrupt that has no effect in time replaces the process; the turn ends in every case.
    else session.interrupt({ cancelQueued: true }).catch(() => {});
  };
  const stopListening = request.onInterrupt(() => interrupt('interrupted'));
  const timer = Number.isFinite(request.timeoutMs) ? setTimeout(interrupt, request.timeoutMs, 'timeout') : undefined;
  try {
    session = await supervisor.start({ ...request.options, signal: starting.signal });
    const result = await follow(session, request);
    return report(result, stop, request);
  } catch (error) {
    if (stop.because === undefined) throw error;
    return stopped(stop, request);
  } finally {
    clearTimeout(timer);
    stopListening();
    await supervisor.shutdown();
  }
}

/** Why the run was stopped from outside; the first reason counts. */
class StopAsked {
  because: 'interrupted' | 'timeout' | undefined;
}

async function follow(session: Session, { prompt, output }: RunRequest): Promise<TurnResult> {
  const turn = session.prompt(prompt);
  for await (const message of turn) output.show(message);
  const result = await turn.result;
  output.end(result);
  return result;
}

function report(result: TurnResult, stop: StopAsked, request: RunRequest): ExitCode {
  if (stop.because !== undefined) return stopped(stop, request);
  if (result.outcome !== 'completed') {
    request.tell(result.error?.message ?? `The turn was ${result.outcome}.`);
    return EXIT.failed;
  }
  if (result.permissionDenials > 0 && request.options.permissionPrompts === 'none') {
    // Work that was refused because nobody could be asked is not done (R37).
    request.tell(
      `${result.permissionDenials} tool call(s) were denied: nobody is here to allow them (see --allowed-tools).`,
    );
    return EXIT.failed;
  }
  return EXIT.done;
}

function stopped(stop: StopAsked, request: RunRequest): ExitCode {
  if (stop.because === 'interrupted') {
    request.tell('Interrupted.');
    return EXIT.interrupted;
  }
  request.tell(`The run did not end within ${request.timeoutMs / 1000} s and was stopped.`);
  return EXIT.failed;
}
