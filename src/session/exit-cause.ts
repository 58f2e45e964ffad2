import type { Failure } from '../../machines/child/child.context.ts';
import { type Ending, endingOf } from '../../machines/child/endings.ts';
import type { EndCause } from '../../machines/session/session.events.ts';
import { type ErrorCode, TroupeError } from '../errors.ts';
import { optionOfFlag } from '../launch/reserved-flags.ts';
import type { EndFacts, FailureFacts } from '../store/session-event.ts';
import type { ExitReport } from '../transport/transport.ts';
import { isLimitSaid } from '../wire/account-facts.ts';

export interface ExitEvidence {
  readonly exit: ExitReport;
  /** Texts of the last error result: the reason the CLI itself gave. */
  readonly resultErrors: readonly string[];
  readonly stderrTail: string;
  /** False until `initialize` was answered: only then do words about flags and ids explain the end. */
  readonly isInitialized: boolean;
  /** Set when the last bytes of the output were no whole line. */
  readonly isTruncated: boolean;
}

interface KnownReason {
  readonly pattern: RegExp;
  readonly code: ErrorCode;
}

/** Starts that would only repeat themselves: a restart would burn its budget for nothing (P8, R62). */
const REFUSALS: readonly KnownReason[] = [
  { pattern: /No conversation found|--resume requires a valid session/i, code: 'CONVERSATION_NOT_FOUND' },
  { pattern: /is already in use/i, code: 'CONVERSATION_EXISTS' },
  { pattern: /error: unknown option/i, code: 'OPTION_UNSUPPORTED' },
  { pattern: /error: option|Invalid MCP config/i, code: 'OPTION_REFUSED' },
  { pattern: /cannot be used with root|Invalid session ID/i, code: 'OPTION_REFUSED' },
];

/** Words of the CLI about a login that is missing or no good (WIRE §13, §22). */
const LOGIN =
  /Not logged in|Please run \/login|Invalid API key|OAuth (?:token|authentication)|authentication_(?:failed|error)/i;

/** Words of a runtime that gave up, V8's and Bun's. */
const NO_MEMORY = /out of memory|memory allocation (?:of \d+ bytes )?failed/i;

const FROM_OUTSIDE: ReadonlySet<string> = new Set(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT']);
/** 128 + signal: what the CLI makes of SIGHUP and SIGTERM (WIRE §15), and a wrapper shell of each. */
const SIGNAL_CODES: ReadonlyMap<number | null, string> = new Map([
  [129, 'SIGHUP'],
  [130, 'SIGINT'],
  [131, 'SIGQUIT'],
  [137, 'SIGKILL'],
  [143, 'SIGTERM'],
]);
/** A code from here on is a signal that somebody counted on top of 128. */
const FIRST_SIGNAL_CODE = 129;

const SHOWN_CHARACTERS = 2_000;

/** Why the process ended: what the CLI reported, else what it wrote to stderr, always with the exit status (R02). */
export function exitCause(evidence: ExitEvidence): EndCause {
  const { exit, isTruncated } = evidence;
  const said = evidence.resultErrors.filter((text) => text.trim() !== '').join('; ');
  const stderr = evidence.stderrTail.trim();
  // A signal came from outside: what an earlier turn had to say explains nothing.
  const reason = (exit.signal === null && said !== '' ? said : stderr).slice(-SHOWN_CHARACTERS);
  const status = statusOf(exit);
  const { code, ending } = kindOf(evidence, said, stderr);
  const cut = isTruncated ? ' Its last line was cut short.' : '';
  return {
    code,
    message: `${reason === '' ? 'It said nothing.' : reason} (${status})${cut}`,
    ending,
    details: {
      exitCode: exit.exitCode,
      signal: exit.signal,
      stderrTail: shownTail(stderr),
      ...(exit.memoryKills === undefined ? {} : { memoryKills: exit.memoryKills }),
      ...(code === 'OPTION_UNSUPPORTED' ? unknownFlag(`${said}\n${stderr}`) : {}),
    },
  };
}

function statusOf({ exitCode, signal, isUnseen }: ExitReport): string {
  if (isUnseen === true) return 'nobody saw how it ended';
  return signal === null ? `exit code ${exitCode}` : `signal ${signal}`;
}

/** The evidence from the strongest to the weakest: the words of a start, the kernel, the signal, the exit code. */
function kindOf(evidence: ExitEvidence, said: string, stderr: string): { code: ErrorCode; ending: Ending } {
  const { exit, isInitialized } = evidence;
  const isStart = !isInitialized && exit.signal === null;
  const refusal = isStart ? REFUSALS.find(({ pattern }) => pattern.test(said) || pattern.test(stderr)) : undefined;
  if (refusal !== undefined) return known(refusal.code);
  const signal = exit.signal ?? SIGNAL_CODES.get(exit.exitCode);
  const isAbnormal = exit.signal !== null || (exit.exitCode ?? 0) >= FIRST_SIGNAL_CODE;
  const ranOut = (exit.memoryKills ?? 0) > 0 || NO_MEMORY.test(stderr);
  if (isAbnormal && ranOut) return known('OUT_OF_MEMORY');
  if (signal !== undefined && FROM_OUTSIDE.has(signal)) return { code: 'CLI_EXITED', ending: 'killed-from-outside' };
  if (exit.signal === null && (isLimitSaid(said) || (isStart && isLimitSaid(stderr)))) return known('QUOTA_REACHED');
  if (exit.signal === null && (LOGIN.test(said) || (isStart && LOGIN.test(stderr)))) return known('NOT_LOGGED_IN');
  return { code: 'CLI_EXITED', ending: exit.exitCode === 0 ? 'left' : 'crash' };
}

function known(code: ErrorCode): { code: ErrorCode; ending: Ending } {
  return { code, ending: endingOf(code) };
}

/** The flag that the release does not know, and the option that it came from; its value may be a secret and stays out (P11). */
function unknownFlag(words: string): Readonly<Record<string, unknown>> {
  const name = /error: unknown option '--([\w-]+)/i.exec(words)?.[1];
  if (name === undefined) return {};
  const option = optionOfFlag(name);
  return { flag: `--${name}`, ...(option === undefined ? {} : { option }) };
}

/** The end of what stderr said, short enough for an error. */
export function shownTail(stderrTail: string): string {
  return stderrTail.trim().slice(-SHOWN_CHARACTERS);
}

/** The cause as the error that callers get. */
export function errorOf(cause: EndCause): TroupeError {
  const code = cause.code === 'closed' ? 'SESSION_CLOSED' : cause.code;
  const reason = cause.message === '' ? undefined : cause.message;
  return new TroupeError(code as TroupeError['code'], { reason, details: cause.details });
}

/** What the end of a process is to its prompts. `isCutOff`: its group ended it, and whoever gave it the prompts did not ask for that. */
export function lossOf(
  cause: EndCause,
  isCutOff: boolean,
): { readonly wasAsked: boolean; readonly error: TroupeError } {
  const wasAsked = cause.code === 'closed';
  if (!wasAsked || !isCutOff) return { wasAsked, error: errorOf(cause) };
  return { wasAsked: false, error: new TroupeError('PROMPT_LOST', { reason: 'Its group ended the process.' }) };
}

/** The cause as a sentence for people; an end that was asked for is no error and has its own words. */
export function sentenceOf(cause: EndCause): string {
  return cause.code === 'closed' ? cause.message : errorOf(cause).message;
}

/** The cause as the log and `explain()` tell it. */
export function endFacts(cause: EndCause): EndFacts {
  return { code: cause.code, message: sentenceOf(cause), ending: cause.ending };
}

export function failureFacts({ at, incarnation, cause }: Failure): FailureFacts {
  return { at, incarnation, ...endFacts(cause) };
}

/** A thrown error as a cause: JSON, for machines and the log. */
export function causeOf(error: unknown): EndCause {
  if (!TroupeError.is(error)) {
    const message = error instanceof Error ? error.message : String(error);
    return { code: 'SPAWN_FAILED', message, ending: 'start-refused' };
  }
  return { code: error.code, message: error.reason ?? '', ending: endingOf(error.code), details: error.details };
}

/** Why a prompt was interrupted whose turn took too long. */
export function turnOverdue(deadlineMs: number): TroupeError {
  return new TroupeError('TURN_OVERDUE', { reason: `(${deadlineMs} ms)`, details: { deadlineMs } });
}
