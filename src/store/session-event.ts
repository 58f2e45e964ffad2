import type { CliMessage } from '../wire/cli-message.ts';
import type { PlainFact } from './plain-fact.ts';

export type {
  BudgetMark,
  EndFacts,
  FailureFacts,
  PlainFact,
  PromptOutcome,
  QuestionContext,
  RecoveryDecision,
  SilenceFacts,
  WatchdogFact,
} from './plain-fact.ts';

/** What happened in a session. `seq` is dense per session from 1, `epoch` is the incarnation it happened in. */
export type SessionFact =
  /** One conversation line of the CLI: original bytes, typed view on demand. */
  { readonly type: 'message'; readonly message: CliMessage } | PlainFact;

export type SessionEvent = SessionFact & { readonly seq: number; readonly epoch: number; readonly at: number };

/** Told to one subscriber only, never part of the log, without `seq`. */
export type SubscriberEvent =
  /** Everything retained up to `seq` was delivered; what follows is live. */
  | { readonly type: 'replay.completed'; readonly seq: number }
  /** This subscriber was too slow: the events from `from` to `to` were dropped for it, and only for it. */
  | { readonly type: 'subscriber.lagged'; readonly from: number; readonly to: number; readonly missed: number }
  /** The log no longer holds what the cursor asked for; `firstSeq` is the oldest event that is left. */
  | { readonly type: 'log.truncated'; readonly from: number; readonly firstSeq: number };

export type ObservedEvent = SessionEvent | SubscriberEvent;

/** What an event takes beside what is in it. */
export const EVENT_BYTES = 200;

/** What surrounds a text or a group in JSON. */
const QUOTES = 2;
/** A number, a truth value or nothing. */
const PLAIN_BYTES = 4;
/** What an item of a list takes beside itself. */
const INDEX_BYTES = 3;

/** The memory an event holds, roughly: what the limits count. */
export function sizeOf(event: SessionFact): number {
  const overhead = EVENT_BYTES;
  if (event.type === 'message') {
    const { message } = event;
    return overhead + message.raw.length + (message.isTranslated ? message.line.length : 0);
  }
  if (event.type === 'stderr') return overhead + event.line.length;
  if (event.type !== 'permission.requested') return overhead;
  return overhead + weightOf(event.input) + weightOf(event.context);
}

/** What plain data takes, roughly, without a text made of it: an event is weighed by each of its readers. */
function weightOf(value: unknown): number {
  if (typeof value === 'string') return value.length + QUOTES;
  if (typeof value !== 'object' || value === null) return PLAIN_BYTES;
  return Array.isArray(value) ? weightOfItems(value) : weightOfFields(value as Readonly<Record<string, unknown>>);
}

function weightOfItems(items: readonly unknown[]): number {
  let bytes = QUOTES;
  for (let index = 0; index < items.length; index += 1) bytes += INDEX_BYTES + weightOf(items[index]);
  return bytes;
}

function weightOfFields(fields: Readonly<Record<string, unknown>>): number {
  let bytes = QUOTES;
  for (const name in fields) if (Object.hasOwn(fields, name)) bytes += name.length + QUOTES + weightOf(fields[name]);
  return bytes;
}
