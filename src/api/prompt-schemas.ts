import { z } from 'zod';
import { PlainId } from './parameters.ts';

export const PromptRequest = z
  .strictObject({
    /** A text, or content blocks as the Messages API takes them. */
    content: z.union([z.string().min(1), z.array(z.record(z.string(), z.unknown())).min(1).max(1_000)]),
    /** The same id with the same content is the same prompt; default: the header Idempotency-Key, else made up. */
    id: PlainId.exactOptional(),
    onBusy: z.enum(['enqueue', 'steer', 'interrupt', 'reject']).exactOptional(),
    /** The text is somebody else's: it runs no command and reads no file into the prompt. */
    untrusted: z.boolean().exactOptional(),
  })
  .meta({ id: 'PromptRequest' });

export const PromptAccepted = z.strictObject({
  promptId: z.string(),
  /** Where the log was right before: a stream of the events that begins after it has all that becomes of the prompt. */
  cursor: z.string().exactOptional(),
});

export const PromptAnswer = z
  .looseObject({
    promptId: z.string(),
    /** Not there while the prompt has not ended. */
    outcome: z.enum(['completed', 'failed', 'interrupted', 'cancelled', 'lost']).optional(),
    text: z.string().optional(),
    costUsd: z.number().optional(),
    durationMs: z.number().optional(),
  })
  .meta({ id: 'PromptResult' });
