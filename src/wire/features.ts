import { isRelease } from './release.ts';

/** Something that not every release of the CLI does. */
export interface Feature {
  /** What holds with it, as one sentence. */
  readonly what: string;
  /** The first measured release with it; without, all have it up to `until`. */
  readonly since?: string;
  /** The last measured release with it; without, all have it from `since` on. */
  readonly until?: string;
  /** The CLI says so itself by this word among its capabilities: where they are known, nothing else counts. */
  readonly capability?: string;
  /** Where it was measured: a section of the survey, or who says so. */
  readonly source: string;
}

/** Every release that was measured, the oldest first. */
export const MEASURED_RELEASES = [
  '1.0.60',
  '1.0.128',
  '2.0.30',
  '2.1.19',
  '2.1.197',
  '2.1.205',
  '2.1.220',
  '2.1.231',
  '2.1.245',
  '2.1.260',
  '2.1.290',
  '2.1.312',
  '2.1.332',
] as const;

/**
 * What releases of the CLI do differently. This table is the only place that knows of releases: everything else asks for a
 * feature by its name. `docs/cli-versions.md` is generated from it.
 */
export const FEATURES = {
  // Getting ready
  initializeAnswer: {
    what: '`initialize` is answered: the barrier of a start',
    since: '1.0.128',
    source: 'WIRE §23',
  },
  replayedPrompts: {
    what: '`--replay-user-messages` and `--include-partial-messages` are known flags',
    since: '1.0.128',
    source: 'WIRE §23',
  },
  secondInitialize: {
    what: 'a second `initialize` is taken',
    since: '2.1.197',
    source: 'WIRE §1, §23',
  },
  toldVersion: {
    what: 'the answer to `initialize` names the version',
    since: '2.1.312',
    source: 'WIRE §1',
  },
  toldState: {
    what: '… and the state of the session',
    since: '2.1.245',
    source: 'WIRE §1',
  },
  toldPid: {
    what: 'the answer to `initialize` names the pid',
    since: '2.1.197',
    source: 'WIRE §1',
  },
  awaitInitialize: {
    what: 'plugins and MCP servers may come with `initialize` (`--await-initialize`)',
    since: '2.1.261',
    source: 'its maker; 2.1.260 lacks it, 2.1.290 has it',
  },

  // MCP servers in this process
  sdkServers: {
    what: 'servers of type `sdk` are taken',
    since: '1.0.128',
    source: 'WIRE §23',
  },
  earlyHandshake: {
    what: 'servers of `--mcp-config` are connected right after `initialize`, not with the first prompt',
    since: '2.1.19',
    source: 'WIRE §2, §23',
  },
  earlySdkServers: {
    what: 'so are those of `initialize.sdkMcpServers`',
    since: '2.1.220',
    source: 'WIRE §2, §23',
  },
  repeatedHandshake: {
    what: 'a prompt that comes early has the handshake done twice',
    since: '2.1.19',
    until: '2.1.205',
    source: 'WIRE §2, §23',
  },
  silentNamelessServer: {
    what: 'a server without a name ends the process with exit code 0 and without a word',
    since: '2.1.19',
    until: '2.1.19',
    source: 'WIRE §3',
  },
  listChanged: {
    what: 'a changed list of tools is read again',
    since: '2.1.290',
    capability: 'sdk_mcp_tools_list_changed',
    source: 'WIRE §2, §23',
  },
  sdkManifests: {
    what: 'manifests of in-process servers spare the handshake',
    since: '2.1.290',
    capability: 'sdk_mcp_manifests',
    source: 'WIRE §2, §23',
  },

  // Questions
  permissionQuestions: {
    what: '`can_use_tool` is asked on the pipe',
    since: '1.0.128',
    source: 'WIRE §5, §23',
  },
  describedQuestions: {
    what: 'a question carries a name to show',
    since: '2.1.197',
    source: 'WIRE §5, §23',
  },
  allowWithoutInput: {
    what: 'an `allow` may leave out `updatedInput`',
    since: '2.1.220',
    source: 'WIRE §5, §23',
  },
  hiddenDenyMessage: {
    what: 'the message of a `deny` that interrupts is replaced by a text of the CLI',
    since: '2.1.197',
    source: 'WIRE §5, §23',
  },
  cancelledElicitations: {
    what: 'an elicitation whose turn was interrupted is taken back',
    since: '2.1.220',
    capability: 'msg_lifecycle_v1',
    source: 'WIRE §25.5',
  },

  // Interrupts and results
  takenBackQuestions: {
    what: 'an interrupt takes open questions back by `control_cancel_request`',
    since: '1.0.128',
    source: 'WIRE §6, §23',
  },
  interruptIsError: {
    what: 'the result of an interrupted turn has `is_error: true`',
    since: '2.1.197',
    source: 'WIRE §8, §23',
  },
  partialOnInterrupt: {
    what: 'what was said before an interrupt comes as an `assistant` message',
    since: '2.1.197',
    source: 'WIRE §8, §23',
  },
  interruptReceipt: {
    what: 'the answer to `interrupt` lists what still waits',
    since: '2.1.205',
    capability: 'interrupt_receipt_v1',
    source: 'WIRE §8, §23',
  },
  cancelQueued: {
    what: '`interrupt` drops waiting prompts when asked to',
    since: '2.1.220',
    capability: 'interrupt_cancel_queued_v1',
    source: 'WIRE §8, §23',
  },
  sendNow: {
    what: 'a prompt may interrupt and go first',
    since: '2.1.290',
    capability: 'interrupt_send_now_v1',
    source: 'WIRE §23',
  },
  terminalReason: {
    what: 'a result says why its turn ended (`terminal_reason`, `stop_reason`)',
    since: '2.1.197',
    source: 'WIRE §13, §23',
  },
  apiErrorReason: {
    what: '… also `api_error` for a failure of the API, not `completed`',
    since: '2.1.332',
    source: 'WIRE §13, §23',
  },
  turnsPerPrompt: {
    what: '`num_turns` counts anew with each prompt',
    since: '2.0.30',
    source: 'WIRE §23',
  },
  apiRetries: {
    what: 'retries of the API are told (`system/api_retry`)',
    since: '2.1.197',
    source: 'WIRE §13, §23',
  },
  totalsGoOn: {
    what: 'a process that resumes may go on from the totals of its predecessor',
    since: '2.1.261',
    source: 'measured beside WIRE §13: not in 2.1.260, but in 2.1.290',
  },

  // Control requests
  unknownControlAnswered: {
    what: 'a control request that is not known is answered',
    since: '2.1.197',
    source: 'WIRE §9, §23',
  },
  controlErrorCodes: {
    what: '… and its error has a code',
    since: '2.1.332',
    source: 'WIRE §9, §23',
  },
  doubledModeAnswer: {
    what: '`set_permission_mode` is answered twice',
    since: '1.0.128',
    until: '2.1.19',
    source: 'WIRE §9, §23',
  },
  toleratesUnknownTypes: {
    what: 'a line of an unknown type is ignored; it ends an older process',
    since: '2.1.197',
    source: 'WIRE §14, §23',
  },

  // Prompts
  mergedQueue: {
    what: 'prompts that wait together become one turn',
    since: '2.1.197',
    source: 'WIRE §11, §23',
  },
  uuidDeduplication: {
    what: 'the uuid of a finished prompt is known again',
    since: '2.0.30',
    source: 'WIRE §11, §23',
  },
  promptLifecycle: {
    what: 'each prompt is told as queued, started, completed or cancelled, and a cut off one runs again when it is sent again',
    since: '2.1.220',
    capability: 'msg_lifecycle_v1',
    source: 'WIRE §11, §23',
  },
  verbatimPrompts: {
    what: 'a prompt can say that it is meant word for word (`client_composed`)',
    since: '2.1.248',
    source: 'its maker; measured on 2.1.197 and 2.1.332',
  },
  escapedSeparators: {
    what: 'U+2028 and U+2029 are escaped in its lines',
    since: '2.1.197',
    source: 'WIRE §23, §25.18',
  },

  // Background work and states
  sessionState: {
    what: '`session_state_changed` where `CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS` is set',
    since: '2.1.197',
    source: 'WIRE §0.7, §23',
  },
  sessionStateForSdk: {
    what: '… and where `CLAUDE_CODE_SDK_READS_SESSION_STATE` is set',
    since: '2.1.290',
    source: 'WIRE §0.7, §23',
  },
  taskMessages: {
    what: 'tasks are told (`task_started`, `task_notification` and others)',
    since: '2.1.197',
    source: 'WIRE §17, §23',
  },
  backgroundAgents: {
    what: 'an agent goes to the background unless told otherwise',
    since: '2.1.205',
    source: 'WIRE §17, §23',
  },
  perTaskStop: {
    what: 'each task can be stopped by itself (`perTaskStopAffordance`)',
    since: '2.1.260',
    source: 'measured: not in 2.1.245',
  },

  // Conversations and the end
  resumedFirstTurn: {
    what: 'a conversation that was killed in its first turn can be resumed',
    since: '2.1.197',
    source: 'WIRE §15, §23',
  },
  resumedAnywhere: {
    what: 'a conversation is found from any working directory',
    since: '2.1.332',
    source: 'WIRE §12, §23',
  },
  chosenForkId: {
    what: '`--session-id` chooses the id of a fork',
    since: '2.1.19',
    source: 'WIRE §12, §23',
  },
  resumeErrorResult: {
    what: 'an unknown conversation is told as a result, not on stderr alone',
    since: '2.1.19',
    source: 'WIRE §12',
  },
  resumeDropsTurn: {
    what: 'a resume can drop the turn that was cut off (`--resume-drops-turn`)',
    since: '2.1.231',
    source: 'measured: not in 2.1.220',
  },
  projectConfigRoot: {
    what: 'the folder of the project configuration can be named (`--project-config-root`)',
    since: '2.1.290',
    source: 'measured: not in 2.1.260',
  },
  promptSnapshots: {
    what: 'a system prompt can be kept for the next process (`systemPromptSnapshot`)',
    since: '2.1.260',
    source: 'measured: not in 2.1.245',
  },
  killsTools: {
    what: 'SIGTERM ends running tools too',
    since: '2.1.220',
    source: 'WIRE §15, §23',
  },
} as const satisfies Readonly<Record<string, Feature>>;

export type FeatureName = keyof typeof FEATURES;

/**
 * Whether this CLI has the feature. What the CLI says of itself by its `capabilities` counts before its version; undefined
 * means that it was not asked yet. Without a known version it counts as older than every release (WIRE §1).
 */
export function hasFeature(
  cliVersion: string | undefined,
  capabilities: readonly string[] | undefined,
  name: FeatureName,
): boolean {
  const { since, until, capability }: Feature = FEATURES[name];
  if (capability !== undefined && capabilities !== undefined) return capabilities.includes(capability);
  const isSince = since === undefined || (cliVersion !== undefined && isRelease(cliVersion, since));
  return isSince && (until === undefined || cliVersion === undefined || isRelease(until, cliVersion));
}

/** The first release with the feature, for words to people. */
export function sinceOf(name: FeatureName): string {
  const { since }: Feature = FEATURES[name];
  return since ?? MEASURED_RELEASES[0];
}
