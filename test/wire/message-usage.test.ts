import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CliMessage } from '../../src/wire/cli-message.ts';
import { messageUsageOf } from '../../src/wire/message-usage.ts';

const USAGE = { input_tokens: 3, output_tokens: 5 };
const OTHER = { input_tokens: 70, output_tokens: 90 };

describe('the usage in a message of the model (R84, WIRE §10)', () => {
  it('is that of the message, whatever the model says', () => {
    // What it says may look like the message around it.
    const word = fc.constantFrom('content', 'stop_reason', 'usage', 'message', '"content":[', '],"stop_reason":', 'é');
    const { block } = fc.letrec((tie) => ({
      block: fc.oneof(
        { maxDepth: 4 },
        fc.constant(OTHER),
        word,
        fc.array(tie('block'), { maxLength: 3 }),
        fc.dictionary(word, tie('block'), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(fc.array(block, { maxLength: 3 }), fc.constantFrom(null, 'end_turn'), (content, reason) => {
        expect(messageUsageOf(messageOf(around(content, reason)))).toEqual({
          id: 'msg_1',
          model: 'claude-1',
          usage: { inputTokens: 3, outputTokens: 5, cacheReadTokens: undefined, cacheCreationTokens: undefined },
        });
      }),
      { numRuns: 500 },
    );
  });

  it('is found without parsing what the model says', () => {
    const line = JSON.stringify(around([{ type: 'text', text: 'hello' }], null)).replace('"hello"', 'hello');
    expect(messageUsageOf(new CliMessage(Buffer.from(line), 'assistant', undefined))?.usage.inputTokens).toBe(3);
  });

  it.each([
    [
      'before the content',
      { type: 'assistant', message: { id: 'msg_1', usage: USAGE, stop_reason: null, content: [OTHER] } },
    ],
    ['without a reason to stop', { type: 'assistant', message: { id: 'msg_1', content: [OTHER], usage: USAGE } }],
    ['of a message with a text', { type: 'assistant', message: { id: 'msg_1', content: 'text', usage: USAGE } }],
  ])('is found %s', (_, value) => {
    expect(messageUsageOf(messageOf(value))?.usage.outputTokens).toBe(5);
  });
});

function around(content: readonly unknown[], reason: string | null): Record<string, unknown> {
  const head = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-1' };
  const message = { ...head, content, stop_reason: reason, stop_sequence: null, usage: USAGE };
  return { type: 'assistant', message, parent_tool_use_id: null, session_id: 's', uuid: 'u' };
}

function messageOf(value: Record<string, unknown>): CliMessage {
  return new CliMessage(Buffer.from(JSON.stringify(value)), 'assistant', undefined);
}
