import type { PromptOutcome } from '../store/session-event.ts';
import type { Json, PromptRecord as StoredPrompt } from '../store/store-record.ts';
import { isRecord, recordsOf } from '../wire/fields.ts';
import type { PromptFields } from './prompt-fields.ts';
import type { OnBusy, PromptContent, PromptRecord } from './prompt-record.ts';
import { errorOfStored, storedErrorOf } from './stored-error.ts';
import { asJson } from './stored-json.ts';
import { resultOfStored, storedResultOf } from './stored-result.ts';

const OUTCOMES: readonly string[] = [
  'completed',
  'failed',
  'interrupted',
  'cancelled',
  'lost',
] satisfies PromptOutcome[];
const WAYS: readonly string[] = ['enqueue', 'steer', 'interrupt', 'reject'] satisfies OnBusy[];

/** A prompt as a store keeps it. When it has ended its content is gone, and its digest says what it was. */
export function storedPromptOf(record: PromptRecord): StoredPrompt {
  const { id, state, result, fields, doubt, wireId } = record;
  return {
    kind: 'prompt',
    id,
    state: state === 'queued' ? 'accepted' : state,
    ...(result === undefined ? {} : { outcome: result.outcome, result: storedResultOf(result) }),
    acceptedAt: record.acceptedAt,
    ...(record.endedAt === undefined ? {} : { endedAt: record.endedAt }),
    content: state === 'ended' ? null : asJson(record.content),
    digest: record.digest,
    onBusy: record.onBusy,
    ...(record.isUntrusted ? { isUntrusted: true } : {}),
    ...(fields === undefined || state === 'ended' ? {} : { fields: asJson(fields) }),
    acceptedSeq: record.acceptedSeq,
    ...(record.startedSeq === undefined ? {} : { startedSeq: record.startedSeq }),
    ...(wireId === id ? {} : { wireId }),
    ...(record.wasDelivered ? { wasDelivered: true } : {}),
    ...(record.isRepeated ? { isRepeated: true } : {}),
    ...(record.wasInterruptAsked ? { wasInterruptAsked: true } : {}),
    ...(record.isFolded ? { isFolded: true } : {}),
    ...(doubt === undefined ? {} : { doubt: storedErrorOf(doubt) }),
  };
}

/** The prompt again, as its ledger keeps it. What one process knew of it is forgotten: the process is gone. */
export function promptOfStored(stored: StoredPrompt): PromptRecord {
  const { id, state, outcome } = stored;
  const isEnded = state === 'ended';
  return {
    id,
    content: isEnded ? '' : contentOf(stored.content),
    onBusy: isWay(stored.onBusy) ? stored.onBusy : 'enqueue',
    isUntrusted: stored.isUntrusted === true,
    fields: isRecord(stored.fields) ? fieldsOf(stored.fields) : undefined,
    acceptedSeq: stored.acceptedSeq ?? 0,
    acceptedAt: stored.acceptedAt,
    endedAt: stored.endedAt,
    digest: stored.digest ?? '',
    state: state === 'accepted' ? 'queued' : state,
    isEchoed: false,
    isFolded: stored.isFolded === true,
    wasInterruptAsked: stored.wasInterruptAsked === true,
    wasDelivered: stored.wasDelivered === true,
    wireId: stored.wireId ?? id,
    isRepeated: stored.isRepeated === true,
    doubt: errorOfStored(stored.doubt),
    interruptReason: undefined,
    startedSeq: stored.startedSeq,
    result: isEnded ? resultOfStored(stored.result, { id, outcome: isOutcome(outcome) ? outcome : 'lost' }) : undefined,
  };
}

function contentOf(content: Json): PromptContent {
  return typeof content === 'string' ? content : recordsOf(content);
}

function fieldsOf(fields: Record<string, unknown>): PromptFields {
  // They were checked when the prompt was accepted.
  return fields as PromptFields;
}

function isOutcome(outcome: string | undefined): outcome is PromptOutcome {
  return outcome !== undefined && OUTCOMES.includes(outcome);
}

function isWay(onBusy: string | undefined): onBusy is OnBusy {
  return onBusy !== undefined && WAYS.includes(onBusy);
}
