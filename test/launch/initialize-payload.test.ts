import { describe, expect, it } from 'vitest';
import { initializePayload } from '../../src/launch/initialize-payload.ts';
import { parseSessionOptions } from '../../src/launch/session-options.ts';

describe('the initialize request (WIRE §1)', () => {
  it('is empty without options: what is not given is not sent', () => {
    expect(payloadOf({ model: 'opus', allowedTools: ['Read'] })).toEqual({});
  });

  it.each([
    [{ systemPrompt: 'You are brief.' }, { systemPrompt: ['You are brief.'] }],
    [{ systemPrompt: '' }, { systemPrompt: [''] }],
    [{ systemPrompt: { type: 'preset', preset: 'claude_code' } }, {}],
    [
      { systemPrompt: { type: 'preset', preset: 'claude_code', append: 'Be brief.' } },
      { appendSystemPrompt: 'Be brief.' },
    ],
    [
      { agents: { a: { description: 'd', prompt: 'p', effort: 'low' } } },
      { agents: { a: { description: 'd', prompt: 'p', effort: 'low' } } },
    ],
    [{ outputFormat: { type: 'json_schema', schema: { type: 'object' } } }, { jsonSchema: { type: 'object' } }],
  ])('holds for %j exactly %j', (options, payload) => {
    expect(payloadOf(options)).toEqual(payload);
  });

  it('carries prompts and agents of any size (R94)', () => {
    const prompt = 'x'.repeat(300_000);
    const payload = payloadOf({ systemPrompt: prompt, agents: { a: { description: 'd', prompt } } });
    expect(JSON.stringify(payload).length).toBeGreaterThan(600_000);
  });
});

function payloadOf(options: Record<string, unknown>): Record<string, unknown> {
  return initializePayload(parseSessionOptions(options));
}
