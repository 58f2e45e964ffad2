import type { CliExit, EndCause } from '../../machines/session/session.events.ts';
import { TroupeError } from '../errors.ts';
import { optionOfFlag } from '../launch/reserved-flags.ts';

export interface ExitEvidence {
  readonly exit: CliExit;
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
  readonly code: 'CONVERSATION_NOT_FOUND' | 'OPTION_UNSUPPORTED' | 'CLI_EXITED';
}

/** Ends that would only repeat themselves: a restart would burn its budget for nothing (P8, R62). */
const PERMANENT: readonly KnownReason[] = [
  { pattern: /No conversation found|--resume requires a valid session/i, code: 'CONVERSATION_NOT_FOUND' },
  { pattern: /is already in use/i, code: 'CLI_EXITED' },
  { pattern: /error: unknown option/i, code: 'OPTION_UNSUPPORTED' },
  { pattern: /error: option|Invalid MCP config/i, code: 'CLI_EXITED' },
  { pattern: /cannot be used with root|Invalid session ID/i, code: 'CLI_EXITED' },
];

const SHOWN_CHARACTERS = 2_000;

/** Why the process ended: what the CLI reported, else what it wrote to stderr, always with the exit status (R02). */
export function exitCause(evidence: ExitEvidence): EndCause {
  const { exit, isTruncated } = evidence;
  const said = evidence.resultErrors.filter((text) => text.trim() !== '').join('; ');
  const stderr = evidence.stderrTail.trim();
  // A signal came from outside: what an earlier turn had to say explains nothing.
  const reason = (exit.signal === null && said !== '' ? said : stderr).slice(-SHOWN_CHARACTERS);
  const status = exit.signal === null ? `exit code ${exit.exitCode}` : `signal ${exit.signal}`;
  const isStart = !evidence.isInitialized && exit.signal === null;
  const known = isStart ? PERMANENT.find(({ pattern }) => pattern.test(said) || pattern.test(stderr)) : undefined;
  const cut = isTruncated ? ' Its last line was cut short.' : '';
  return {
    code: known?.code ?? 'CLI_EXITED',
    message: `${reason === '' ? 'It said nothing.' : reason} (${status})${cut}`,
    permanent: known !== undefined,
    details: {
      exitCode: exit.exitCode,
      signal: exit.signal,
      stderrTail: shownTail(stderr),
      ...(known?.code === 'OPTION_UNSUPPORTED' ? unknownFlag(`${said}\n${stderr}`) : {}),
    },
  };
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

/** The cause as a sentence for people; an end that was asked for is no error and has its own words. */
export function sentenceOf(cause: EndCause): string {
  return cause.code === 'closed' ? cause.message : errorOf(cause).message;
}

/** A thrown error as a cause: JSON, for machines and the log. */
export function causeOf(error: unknown, isPermanent: boolean): EndCause {
  if (!TroupeError.is(error)) {
    const message = error instanceof Error ? error.message : String(error);
    return { code: 'SPAWN_FAILED', message, permanent: isPermanent };
  }
  return { code: error.code, message: error.reason ?? '', permanent: isPermanent, details: error.details };
}
