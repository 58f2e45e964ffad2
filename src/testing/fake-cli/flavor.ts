/** The measured releases the fake can stand for. */
export type FakeVersion = '2.1.332' | '2.1.197' | '2.1.19' | '2.0.30' | '1.0.128';

/** How one release behaves where releases differ (WIRE §23). Every field may be overridden one by one. */
export interface Flavor {
  readonly version: FakeVersion;
  readonly model: string;
  readonly capabilities: readonly string[];
  /** `command_lifecycle` lines and `user_message_uuids` (WIRE §11). */
  readonly hasLifecycle: boolean;
  /** `state`: by outcome, across `--resume`; `any`: also a killed turn is dropped; `finished`; `none`. */
  readonly deduplication: 'state' | 'any' | 'finished' | 'none';
  /** Waiting prompts become one turn. */
  readonly mergesQueue: boolean;
  /** The echo of `--replay-user-messages` carries `isReplay`. */
  readonly marksReplays: boolean;
  readonly replaysResponses: boolean;
  /** When servers of `--mcp-config` and of `initialize.sdkMcpServers` are connected. */
  readonly mcpConfigStart: 'initialize' | 'prompt';
  readonly sdkServersStart: 'initialize' | 'prompt';
  /** A second whole handshake when the prompt comes before the first one ended (WIRE §2). */
  readonly repeatsHandshake: boolean;
  readonly mcpTimeoutMs: number;
  readonly mcpAttempts: number;
  readonly namelessServer: 'dropped' | 'exits-0' | 'exits-1';
  readonly answersUnknownControls: boolean;
  readonly hasErrorCodes: boolean;
  readonly repeatsPermissionModeResponse: boolean;
  readonly allowNeedsUpdatedInput: boolean;
  readonly hidesDenyMessageOnInterrupt: boolean;
  /** Environment variables that switch `session_state_changed` on (WIRE §0.7). */
  readonly sessionStateVariables: readonly string[];
  readonly interruptIsError: boolean;
  readonly interruptReceipt: boolean;
  readonly partialOnInterrupt: 'flagged' | 'plain' | 'lost';
  readonly hasTerminalReasons: boolean;
  readonly secondInitialize: 'state' | 'success' | 'error' | 'crash';
  readonly unknownTypeExits: boolean;
  readonly countsTurnsOverall: boolean;
  readonly killsChildrenOnSignal: boolean;
  readonly reportsUnknownResume: 'result-and-stderr' | 'result' | 'stderr';
  readonly sigintEndsTurn: boolean;
  readonly escapesLineSeparators: boolean;
  readonly describesItself: boolean;
}

const NEWEST: Flavor = {
  version: '2.1.332',
  model: 'claude-opus-5-5',
  capabilities: [
    'interrupt_receipt_v1',
    'interrupt_cancel_queued_v1',
    'interrupt_send_now_v1',
    'msg_lifecycle_v1',
    'sdk_mcp_tools_list_changed',
    'sdk_mcp_manifests',
  ],
  hasLifecycle: true,
  deduplication: 'state',
  mergesQueue: true,
  marksReplays: true,
  replaysResponses: true,
  mcpConfigStart: 'initialize',
  sdkServersStart: 'initialize',
  repeatsHandshake: false,
  mcpTimeoutMs: 30_000,
  mcpAttempts: 2,
  namelessServer: 'dropped',
  answersUnknownControls: true,
  hasErrorCodes: true,
  repeatsPermissionModeResponse: false,
  allowNeedsUpdatedInput: false,
  hidesDenyMessageOnInterrupt: true,
  sessionStateVariables: ['CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS', 'CLAUDE_CODE_SDK_READS_SESSION_STATE'],
  interruptIsError: true,
  interruptReceipt: true,
  partialOnInterrupt: 'flagged',
  hasTerminalReasons: true,
  secondInitialize: 'state',
  unknownTypeExits: false,
  countsTurnsOverall: false,
  killsChildrenOnSignal: true,
  reportsUnknownResume: 'result-and-stderr',
  sigintEndsTurn: true,
  escapesLineSeparators: true,
  describesItself: true,
};

const V2_1_197: Flavor = {
  ...NEWEST,
  version: '2.1.197',
  model: 'claude-opus-4-8',
  capabilities: [],
  hasLifecycle: false,
  deduplication: 'any',
  sdkServersStart: 'prompt',
  repeatsHandshake: true,
  mcpTimeoutMs: 60_000,
  mcpAttempts: 1,
  hasErrorCodes: false,
  allowNeedsUpdatedInput: true,
  sessionStateVariables: ['CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS'],
  interruptReceipt: false,
  partialOnInterrupt: 'plain',
  secondInitialize: 'success',
  killsChildrenOnSignal: false,
  sigintEndsTurn: false,
  describesItself: false,
};

const V2_1_19: Flavor = {
  ...V2_1_197,
  version: '2.1.19',
  model: 'claude-sonnet-4-5',
  deduplication: 'finished',
  mergesQueue: false,
  namelessServer: 'exits-0',
  answersUnknownControls: false,
  repeatsPermissionModeResponse: true,
  hidesDenyMessageOnInterrupt: false,
  sessionStateVariables: [],
  interruptIsError: false,
  partialOnInterrupt: 'lost',
  hasTerminalReasons: false,
  secondInitialize: 'error',
  unknownTypeExits: true,
  reportsUnknownResume: 'result',
  escapesLineSeparators: false,
};

const V2_0_30: Flavor = {
  ...V2_1_19,
  version: '2.0.30',
  replaysResponses: false,
  mcpConfigStart: 'prompt',
  repeatsHandshake: false,
  namelessServer: 'exits-1',
  secondInitialize: 'crash',
  reportsUnknownResume: 'stderr',
};

const V1_0_128: Flavor = {
  ...V2_0_30,
  version: '1.0.128',
  model: 'claude-sonnet-4',
  deduplication: 'none',
  marksReplays: false,
  secondInitialize: 'error',
  countsTurnsOverall: true,
};

/** Every release the fake can stand for, by version. */
export const FLAVORS: Readonly<Record<FakeVersion, Flavor>> = {
  '2.1.332': NEWEST,
  '2.1.197': V2_1_197,
  '2.1.19': V2_1_19,
  '2.0.30': V2_0_30,
  '1.0.128': V1_0_128,
};

/** The flavor of a release (default 2.1.332) with single fields overridden. */
export function flavorOf(chosen: Partial<Flavor> = {}): Flavor {
  return { ...FLAVORS[chosen.version ?? '2.1.332'], ...chosen };
}
