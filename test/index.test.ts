import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const INDEX = readFileSync(new URL('../src/index.ts', import.meta.url), 'utf8');

/** The types that stand in a signature somebody may have to write down. */
const NAMED = [
  'ActivityState',
  'AgentOptions',
  'CanUseTool',
  'ChildStateName',
  'ConversationFacts',
  'EndFacts',
  'FleetEvent',
  'KnownMessage',
  'LimitOptions',
  'Logger',
  'McpServerOptions',
  'MessageView',
  'ObservedEvent',
  'PermissionDecision',
  'PermissionMode',
  'PermissionResult',
  'RemoteMcpServerOptions',
  'RestartOptions',
  'SdkMcpServerOptions',
  'SessionFact',
  'SessionPermissions',
  'SessionStateName',
  'Settlement',
  'StdioMcpServerOptions',
  'SubscriberEvent',
  'SupervisorLimitOptions',
  'SupervisorStateName',
  'SupervisorTimeoutOptions',
  'TimeoutOptions',
  'TransportListeners',
  'TreeReport',
  'TurnResult',
  'Usage',
];

describe('the package', () => {
  it.each(NAMED)('exports %s, by its name', (name) => {
    expect(INDEX).toMatch(new RegExp(`\\b${name}\\b`));
  });
});
