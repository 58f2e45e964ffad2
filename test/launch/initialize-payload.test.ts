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
    [{ systemPrompt: ['a', 'b'] }, { systemPrompt: ['a', 'b'] }],
    [
      { systemPrompt: { type: 'custom', prompt: 'c', snapshot: true } },
      { systemPrompt: ['c'], systemPromptSnapshot: true },
    ],
    [
      { systemPrompt: { type: 'preset', preset: 'claude_code', excludeDynamicSections: true, snapshot: false } },
      { excludeDynamicSections: true, systemPromptSnapshot: false },
    ],
    [
      { title: 't', toolAliases: { Bash: 'mcp__x__y' }, planModeInstructions: 'p' },
      { title: 't', toolAliases: { Bash: 'mcp__x__y' }, planModeInstructions: 'p' },
    ],
    [
      {
        promptSuggestions: true,
        agentProgressSummaries: false,
        forwardSubagentText: true,
        perTaskStopAffordance: true,
      },
      {
        promptSuggestions: true,
        agentProgressSummaries: false,
        forwardSubagentText: true,
        perTaskStopAffordance: true,
      },
    ],
    [{ skills: ['pdf'] }, { skills: ['pdf'] }],
    [{ skills: 'all' }, {}],
    [{ plugins: [{ type: 'local', path: '/a' }] }, {}],
    [
      { plugins: [{ type: 'local', path: '/a' }], pluginDelivery: 'initialize' },
      { plugins: [{ type: 'local', path: '/a' }] },
    ],
    [
      { mcpServers: { a: { command: 'x', env: { K: 'v' } } }, mcpServersDelivery: 'initialize' },
      { mcpServers: { a: { type: 'stdio', command: 'x', env: { K: 'v' } } } },
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
