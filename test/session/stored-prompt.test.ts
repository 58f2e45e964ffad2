import '../fixed-chance.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TroupeError } from '../../src/errors.ts';
import type { PromptRecord } from '../../src/session/prompt-record.ts';
import { promptOfStored, storedPromptOf } from '../../src/session/stored-prompt.ts';
import type { PromptRecord as StoredPrompt } from '../../src/store/store-record.ts';

describe('a prompt in a store (P2)', () => {
  it('comes back as it was: what is sent again, by what id, and what became of it', () => {
    fc.assert(
      fc.property(aPrompt, (prompt) => {
        expect(promptOfStored(overDisk(storedPromptOf(prompt)))).toEqual(prompt);
      }),
    );
  });

  it('is kept without its content once it has ended: its digest knows it', () => {
    const ended = fc.sample(aPrompt, 200).filter(({ state }) => state === 'ended');
    expect(ended.length).toBeGreaterThan(10);
    for (const prompt of ended) {
      const { content, fields, digest } = storedPromptOf({ ...prompt, content: 'secret plans' });
      expect({ content, fields, digest }).toEqual({ content: null, fields: undefined, digest: prompt.digest });
    }
  });

  it('whose end this release cannot read counts as lost, and never as unsent', () => {
    const stored: StoredPrompt = { kind: 'prompt', id: 'p', state: 'ended', acceptedAt: 1, content: null };
    expect(promptOfStored(stored)).toMatchObject({ state: 'ended', result: { outcome: 'lost', promptIds: ['p'] } });
  });

  it('keeps an error whose code a later release made up', () => {
    const result = { error: { code: 'FROM_THE_FUTURE', reason: 'Who knows.', details: { count: 3 } } };
    const stored: StoredPrompt = {
      kind: 'prompt',
      id: 'p',
      state: 'ended',
      outcome: 'failed',
      acceptedAt: 1,
      content: null,
      result,
    };
    const { error } = promptOfStored(stored).result ?? {};
    expect(error?.details).toEqual({ count: 3, storedCode: 'FROM_THE_FUTURE' });
    expect(error?.reason).toBe('Who knows.');
  });
});

const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const aCount = fc.nat({ max: 1_000_000 });
const aUsage = fc.record({
  inputTokens: optional(aCount),
  outputTokens: optional(aCount),
  cacheReadTokens: optional(aCount),
  cacheCreationTokens: optional(aCount),
});
const aName = fc.stringMatching(/^[a-z][a-z0-9-]{0,12}$/);
const aModels = fc.dictionary(
  aName,
  fc.tuple(aUsage, optional(aCount)).map(([usage, costUsd]) => ({ ...usage, costUsd })),
  { maxKeys: 3 },
);
const anError = fc
  .record({ code: fc.constantFrom('PROMPT_LOST' as const, 'TURN_FAILED' as const), reason: optional(fc.string()) })
  .map(({ code, reason }) => new TroupeError(code, { reason, details: { id: 'x', count: 1 } }));
const jsonValue = fc.jsonValue().map((value): unknown => JSON.parse(JSON.stringify(value)));

const aResult = fc.record({
  outcome: fc.constantFrom('completed' as const, 'failed' as const, 'interrupted' as const, 'cancelled' as const),
  text: optional(fc.string()),
  error: optional(anError),
  usage: optional(aUsage),
  costUsd: optional(aCount),
  models: optional(aModels),
  durationMs: optional(aCount),
  promptIds: fc.array(aName, { minLength: 1, maxLength: 3 }),
  permissionDenials: aCount,
  structuredOutput: optional(jsonValue),
  conversationId: optional(aName),
});

const aContent = fc.oneof(fc.string(), fc.array(fc.record({ type: fc.constant('text'), text: fc.string() })));

const aPrompt: fc.Arbitrary<PromptRecord> = fc
  .record({
    id: aName,
    content: aContent,
    onBusy: fc.constantFrom('enqueue' as const, 'steer' as const, 'interrupt' as const),
    isUntrusted: fc.boolean(),
    fields: optional(fc.record({ priority: fc.constantFrom('now' as const, 'later' as const) })),
    acceptedSeq: aCount,
    acceptedAt: aCount,
    endedAt: fc.constant(undefined),
    digest: aName,
    state: fc.constantFrom('queued' as const, 'delivered' as const, 'started' as const, 'ended' as const),
    isEchoed: fc.constant(false),
    isFolded: fc.boolean(),
    wasInterruptAsked: fc.boolean(),
    wasDelivered: fc.boolean(),
    wireId: aName,
    isRepeated: fc.boolean(),
    doubt: optional(anError),
    interruptReason: fc.constant(undefined),
    startedSeq: optional(aCount),
    result: aResult,
  })
  .map((prompt) =>
    prompt.state === 'ended'
      ? { ...prompt, endedAt: 1, content: '', fields: undefined }
      : { ...prompt, result: undefined },
  );

function overDisk(stored: StoredPrompt): StoredPrompt {
  return JSON.parse(JSON.stringify(stored));
}
