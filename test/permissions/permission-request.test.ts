import { describe, expect, it } from 'vitest';
import { readPermissionRequest } from '../../src/permissions/permission-request.ts';

describe('reading a can_use_tool request', () => {
  it('keeps everything a decider needs, in our spelling (WIRE §5)', () => {
    const suggestion = { type: 'setMode', mode: 'acceptEdits', destination: 'session' };
    const request = readPermissionRequest(
      'r1',
      {
        subtype: 'can_use_tool',
        tool_name: 'Bash',
        display_name: 'Shell',
        input: { command: 'ls' },
        permission_suggestions: [suggestion],
        blocked_path: '/etc',
        decision_reason: 'outside',
        description: 'Lists files',
        requires_user_interaction: true,
        agent_id: 'agent-1',
        tool_use_id: 'toolu_1',
      },
      1_700,
    );
    expect(request).toEqual({
      kind: 'tool',
      id: 'r1',
      toolName: 'Bash',
      input: { command: 'ls' },
      toolUseId: 'toolu_1',
      agentId: 'agent-1',
      suggestions: [suggestion],
      blockedPath: '/etc',
      decisionReason: 'outside',
      decisionReasonType: undefined,
      title: undefined,
      displayName: 'Shell',
      description: 'Lists files',
      requiresUserInteraction: true,
      mcpServer: undefined,
      matchedAskRule: undefined,
      suppressAlwaysAllowRule: false,
      defaultToNo: false,
      askedAt: 1_700,
      settlement: undefined,
    });
  });

  it('needs no more than the four fields of older versions (WIRE §5)', () => {
    const request = readPermissionRequest('r1', { tool_name: 'Bash', input: {}, tool_use_id: 't' }, 0);
    expect(request).toMatchObject({ toolName: 'Bash', toolUseId: 't', agentId: undefined, suggestions: [] });
    expect(request.requiresUserInteraction).toBe(false);
  });

  it.each([
    ['nothing at all', {}],
    ['an input that is a text', { tool_name: 7, input: 'ls' }],
    ['an input that is a list', { tool_name: null, input: ['ls'] }],
    ['an input that is null', { tool_name: '', input: null, tool_use_id: 5, agent_id: {} }],
    ['suggestions that are none', { permission_suggestions: { type: 'setMode' } }],
    ['suggestions of every kind', { permission_suggestions: [null, 7, 'x', {}, { type: 1 }] }],
  ])('tolerates %s (R17)', (_title, wire) => {
    expect(readPermissionRequest('r1', wire, 0)).toMatchObject({
      toolName: '',
      input: {},
      toolUseId: undefined,
      agentId: undefined,
      suggestions: [],
    });
  });
});
