import type { CliMessage } from './cli-message.ts';
import type { ResultFacts } from './facts.ts';
import { isRecord, numberOf, recordsOf, stringOf } from './fields.ts';
import { resetIn } from './reset-words.ts';

/** How the CLI begins when a limit of the account was reached; the official SDK keeps this list (`USAGE_LIMIT_ERROR_PREFIXES`). */
const LIMIT_WORDS = [
  "You've hit your",
  "You've reached your",
  "You're out of usage credits",
  "You're out of extra usage",
  'Your org is out of usage',
  "Your seat type doesn't include",
  'Your usage allocation has been disabled',
  "Your group's usage limit is set to",
  'Fable 5 requires usage credits',
  // Releases before those words: followed by "|" and the second of the reset.
  'Claude AI usage limit reached',
];

export interface LimitHit {
  /** Milliseconds since 1970, where the words tell it. */
  readonly resetsAt: number | undefined;
}

/** Whether the turn failed at a limit of the account. Undefined for every other end (R86). Without `now`, a time of the day is none. */
export function limitHitOf(
  result: Pick<ResultFacts, 'isError' | 'text' | 'errors' | 'apiErrorStatus'>,
  now?: number,
): LimitHit | undefined {
  if (!result.isError) return undefined;
  const said = [result.text ?? '', ...result.errors].map((text) => text.trim());
  const words = said.find(isLimitSaid);
  if (words === undefined && result.apiErrorStatus !== 429) return undefined;
  const seconds = /\|(\d{10})\b/.exec(words ?? '')?.[1];
  if (seconds !== undefined) return { resetsAt: Number(seconds) * 1_000 };
  return { resetsAt: now === undefined ? undefined : resetIn(words ?? '', now) };
}

/** Whether the CLI says there that a limit of the account was reached. */
export function isLimitSaid(text: string): boolean {
  return LIMIT_WORDS.some((start) => text.trimStart().startsWith(start));
}

/** How an error begins in a line that has one. */
const ERROR = Buffer.from('"error":"');

/** Errors of an assistant message after which nobody gets further until somebody has done something about the login. */
const LOGIN_ERRORS: ReadonlySet<string | undefined> = new Set([
  'authentication_failed',
  'oauth_org_not_allowed',
  'account_on_hold',
  'verification_required',
  'billing_error',
  'cloud_credential_error',
]);

/** A 403 may be about one model or one file; only these words make it one about the login. */
const LOGIN_WORDS = /oauth|token|credential|api key|organi[sz]ation|log ?in|account/i;

/** The first 401 may be a token that is renewed at once; the CLI tries ten times, for minutes (WIRE §25.22). */
const HOPELESS_ATTEMPT = 2;

/** What the message says about a login that is gone (R89). Undefined for every other message. */
export function loginFailureOf(message: CliMessage): string | undefined {
  if (message.type === 'system' && message.subtype === 'api_retry') {
    const { error, attempt, error_status: status } = message.value ?? {};
    const isHopeless = LOGIN_ERRORS.has(stringOf(error)) && (numberOf(attempt) ?? 0) >= HOPELESS_ATTEMPT;
    return isHopeless ? `The API refuses the login (${String(status)}, ${String(error)}).` : undefined;
  }
  // Streamed answers are not parsed for this.
  if (message.type !== 'assistant' || !message.line.includes(ERROR)) return undefined;
  const value = message.value ?? {};
  if (!LOGIN_ERRORS.has(stringOf(value['error']))) return undefined;
  const inner = value['message'];
  const content = isRecord(inner) ? inner['content'] : undefined;
  const text = recordsOf(content)
    .flatMap((block) => stringOf(block['text']) ?? [])
    .join(' ');
  const isForbidden = numberOf(value['api_error_status']) === 403 || /API Error: 403/.test(text);
  if (isForbidden && !LOGIN_WORDS.test(text)) return undefined;
  return text === '' ? String(value['error']) : text.slice(0, 500);
}

/** True for an answer of the model, as opposed to an error that the CLI tells in its place. */
export function isModelAnswer(message: CliMessage): boolean {
  if (message.type === 'stream_event') return true;
  if (message.type !== 'assistant') return false;
  if (!message.line.includes(ERROR)) return true;
  return message.value?.['error'] === undefined;
}
