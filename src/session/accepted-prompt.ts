import { digestOf } from './prompt-digest.ts';
import type { PromptFields } from './prompt-fields.ts';
import type { OnBusy, PromptContent, PromptRecord } from './prompt-record.ts';

/** A prompt as its session takes it. */
export interface AcceptedPrompt {
  readonly id: string;
  readonly content: PromptContent;
  readonly onBusy: OnBusy;
  readonly isUntrusted?: boolean;
  readonly fields?: PromptFields | undefined;
  readonly acceptedSeq: number;
}

/** The record of a prompt that no process has seen. */
export function recordOfAccepted(prompt: AcceptedPrompt, acceptedAt: number): PromptRecord {
  return {
    ...prompt,
    isUntrusted: prompt.isUntrusted === true,
    fields: prompt.fields,
    acceptedAt,
    endedAt: undefined,
    digest: digestOf(prompt.content, prompt.fields),
    state: 'queued',
    isEchoed: false,
    isFolded: false,
    wasInterruptAsked: false,
    wasDelivered: false,
    wireId: prompt.id,
    isRepeated: false,
    doubt: undefined,
    interruptReason: undefined,
    startedSeq: undefined,
    result: undefined,
  };
}
