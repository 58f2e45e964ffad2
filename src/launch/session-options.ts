import type { SessionStore, SessionStoreFlush } from '../conversations/session-store.ts';
import type { HooksOption } from '../hooks/hook-options.ts';
import type { CanUseTool } from '../permissions/can-use-tool.ts';
import type { OnElicitation } from '../permissions/elicitation.ts';
import type { PermissionsOption } from '../permissions/permissions-option.ts';
import type { OnUserDialog } from '../permissions/user-dialog.ts';
import type { DialectOption } from '../wire/dialect.ts';
import type { SessionBudgetOptions } from './budget-options.ts';
import type { McpServersOption } from './mcp-server-options.ts';
import { invalidOptions, issuesOf } from './option-issue.ts';
import { brokenRules } from './option-rules.ts';
import { isPlain } from './plain-object.ts';
import { readPlainValue } from './plain-value.ts';
import type { RecordOptions } from './record-options.ts';
import { SESSION_OPTION_NAMES, SessionOptionsSchema } from './session-options-schema.ts';

/** `default` asks, `acceptEdits` lets file edits pass, `plan` runs nothing, `dontAsk` denies, `auto` asks a classifier. */
export type PermissionMode = 'default' | 'acceptEdits' | 'bypassPermissions' | 'plan' | 'dontAsk' | 'auto';

/** How much a model thinks. `adaptive`: it decides itself. */
export type ThinkingOptions =
  | { readonly type: 'adaptive'; readonly display?: 'summarized' | 'omitted' }
  | { readonly type: 'enabled'; readonly budgetTokens?: number; readonly display?: 'summarized' | 'omitted' }
  | { readonly type: 'disabled' };

/** A folder with a plugin; relative to `cwd`, since the CLI looks for it. */
export interface PluginOptions {
  readonly type: 'local';
  readonly path: string;
  /** True: the MCP servers that the plugin brings are not started. Default false. */
  readonly skipMcpDiscovery?: boolean;
}

/** A text, or parts of one, replaces the system prompt; a preset keeps Claude Code's and may append to it. */
export type SystemPromptOptions =
  | string
  | readonly string[]
  | { readonly type: 'custom'; readonly prompt: string | readonly string[]; readonly snapshot?: boolean }
  | {
      readonly type: 'preset';
      readonly preset: 'claude_code';
      readonly append?: string;
      /** Leaves out what changes from run to run, so that the prompt cache is shared. */
      readonly excludeDynamicSections?: boolean;
      readonly snapshot?: boolean;
    };

/** A subagent. Further fields go to the CLI as they are. */
export interface AgentOptions {
  /** When the agent is to be used. */
  readonly description: string;
  /** Its system prompt. */
  readonly prompt: string;
  /** Tools it may use. Default: those of the session. */
  readonly tools?: readonly string[];
  readonly disallowedTools?: readonly string[];
  /** An alias, a full name, or `inherit`. Default: the model that the CLI has for subagents, else that of the session. */
  readonly model?: string;
  /** MCP servers of its own, by name or with their settings. They travel on stdin, so they may hold secrets (P11). */
  readonly mcpServers?: readonly (string | Readonly<Record<string, unknown>>)[];
  /** Skills it knows from the start. */
  readonly skills?: readonly string[];
  /** Where it leads the conversation (`agent`): said before the first prompt. */
  readonly initialPrompt?: string;
  /** Model calls it may make. */
  readonly maxTurns?: number;
  /** Tokens at which its conversation is compacted; only ever lower than it would be. */
  readonly autoCompactWindow?: number;
  /** True: it always runs in the background. */
  readonly background?: boolean;
  /** True: it does not read the CLAUDE.md files of the user and the project. */
  readonly omitClaudeMd?: boolean;
  /** Whose memory files it reads. */
  readonly memory?: 'user' | 'project' | 'local';
  readonly effort?: 'low' | 'medium' | 'high' | 'xhigh' | 'max' | number;
  /** `bypassPermissions` needs `allowDangerouslySkipPermissions` here as well (R93). */
  readonly permissionMode?: PermissionMode;
  /** Agents that watch it, up to four names separated by commas, and what they are told beside. */
  readonly observer?: string;
  readonly observerMessage?: string;
  readonly criticalSystemReminder_EXPERIMENTAL?: string;
  readonly [field: string]: unknown;
}

/** When a session that ended is started again. Defaults: `DEFAULT_RESTART`. */
export interface RestartOptions {
  /** `permanent`: always. `transient`: unless somebody asked for the end. `temporary`: never. */
  readonly type?: 'permanent' | 'transient' | 'temporary';
  /** Restarts allowed within `periodMs`; one more and the session is quarantined. */
  readonly intensity?: number;
  /** Milliseconds. */
  readonly periodMs?: number;
  readonly backoff?: {
    /** First wait, in milliseconds. */
    readonly minMs?: number;
    /** Longest wait, in milliseconds. */
    readonly maxMs?: number;
    /** Each wait is this many times the one before; at least 1. */
    readonly factor?: number;
    /** Share of the wait that chance may add or take away, 0 … 1. */
    readonly jitter?: number;
  };
}

/**
 * What happens to a prompt whose process was lost before it ended, when another process follows:
 * - `once` (the default): sent again only where the CLI knows it by its id, and then the CLI decides. It goes on if no tool had
 *   begun, else it ends as `lost`; so does every one before 2.1.220. No tool runs twice.
 * - `retry`: the same, but what would be lost is begun anew. Tools may run a second time.
 * - `fail`: never sent again; it ends as `lost`.
 * - `ask`: what could run twice is held, and all that waits behind it, until `session.doubts.resolve(id, answer)`.
 */
export type OnPromptLost = 'once' | 'retry' | 'fail' | 'ask';

/**
 * What happens to a session whose host was lost, when a supervisor opens its store again:
 * - `resume` (the default): it goes on as it was; one with prompts that wait, or were cut off, gets a process at once.
 * - `hold`: it is there with everything it had, and nothing runs until `session.restart()`.
 * - `fail`: it ends with HOST_LOST, and so do its prompts.
 */
export type OnRestart = 'resume' | 'hold' | 'fail';

/** Deadlines in milliseconds, `Infinity` for none. Defaults: `DEFAULT_TIMEOUTS`. */
export interface TimeoutOptions {
  readonly spawnMs?: number;
  readonly initializeMs?: number;
  readonly mcpServerMs?: number;
  readonly controlMs?: number;
  readonly turnMs?: number;
  /** How long a turn may make no progress while it waits for the model, until `watchdog.warned` tells. */
  readonly stallMs?: number;
  /** … until it is interrupted; a turn that does not end then within `interruptMs` costs the process: STALLED. */
  readonly stallInterruptMs?: number;
  /** The same for a silent tool, hook or call of an in-process server. */
  readonly toolStallMs?: number;
  readonly toolStallInterruptMs?: number;
  readonly permissionMs?: number;
  readonly hookMs?: number;
  readonly interruptMs?: number;
  readonly idleMs?: number;
  readonly closeGraceMs?: number;
  readonly terminateGraceMs?: number;
  readonly killGraceMs?: number;
  readonly admissionMs?: number;
}

/** Bounds of one session; whole numbers above 0 and at most `HIGHEST_LIMITS`. Defaults: `DEFAULT_LIMITS`. */
export interface LimitOptions {
  readonly maxPromptQueue?: number;
  readonly maxLineBytes?: number;
  readonly maxSubscriberBufferBytes?: number;
  readonly maxSubscriberBufferItems?: number;
  readonly stderrTailBytes?: number;
  readonly maxControlPending?: number;
  readonly maxLogBytes?: number;
  readonly maxLogItems?: number;
  /** Recoveries with unfinished work, without a turn that ended well since; one more and the session is quarantined. */
  readonly maxRecoveries?: number;
}

/** With what a session is started. Names are spelled as in the official TypeScript SDK; an option left out is not sent. */
export interface SessionOptions {
  /** Troupe's own id of the session: 1 to 128 of A-Z a-z 0-9 `.` `_` `:` `-`. Default: made up. */
  readonly id?: string;
  /** Working directory; relative to the host's. Default: the host's. */
  readonly cwd?: string;
  /** Model alias or full name. Default: the CLI's. */
  readonly model?: string;
  /** Models to fall back to, separated by commas, in order. */
  readonly fallbackModel?: string;
  /** Default `default`, always sent, because the CLI's own default changed between versions (WIRE §0.12, R93). */
  readonly permissionMode?: PermissionMode;
  /** The second key to `bypassPermissions` (R93); alone it lets the session switch to that mode later. Default false. */
  readonly allowDangerouslySkipPermissions?: boolean;
  /** Tools and rules such as `Bash(git log:*)` that run without a question. */
  readonly allowedTools?: readonly string[];
  /** Tools and rules that never run; a whole tool named here is not even offered to the model. */
  readonly disallowedTools?: readonly string[];
  /** Built-in tools that exist at all; `[]` for none. Default: all of Claude Code's. */
  readonly tools?: readonly string[] | { readonly type: 'preset'; readonly preset: 'claude_code' };
  /** MCP servers by name. */
  readonly mcpServers?: McpServersOption;
  /** Only the servers of `mcpServers`, none from settings or `.mcp.json`. Default false. */
  readonly strictMcpConfig?: boolean;
  /** Answers permission questions. Without it they wait in the inbox of the session. */
  readonly canUseTool?: CanUseTool;
  /** `none`: nobody is there, every question is denied at once with a reason. Default `host`. */
  readonly permissionPrompts?: 'host' | 'none';
  /** Rules that decide before anybody is asked, together with those of the supervisor. */
  readonly permissions?: PermissionsOption;
  /** Answers what MCP servers ask the user. Without it they wait in the inbox; with `permissionPrompts: 'none'` it is a no. */
  readonly onElicitation?: OnElicitation;
  /** Answers the dialogs of `supportedDialogKinds`. Without it they wait in the inbox. */
  readonly onUserDialog?: OnUserDialog;
  /** Dialogs that can be shown here, such as `refusal_fallback_prompt`; the CLI opens no other. Default: none. */
  readonly supportedDialogKinds?: readonly string[];
  /** Replaces the system prompt, or appends to the one of Claude Code. Any size: it travels on stdin (R94). */
  readonly systemPrompt?: SystemPromptOptions;
  /** Subagents by name. Any size: they travel on stdin (R94). */
  readonly agents?: Readonly<Record<string, AgentOptions>>;
  /** The subagent of `agents`, or of the settings, that leads the conversation. */
  readonly agent?: string;
  /** Title of the conversation. */
  readonly title?: string;
  /** What the CLI says to the model in plan mode, instead of its own instructions. */
  readonly planModeInstructions?: string;
  /** Tools that stand in for others, by the name of the one replaced. */
  readonly toolAliases?: Readonly<Record<string, string>>;
  readonly toolConfig?: { readonly askUserQuestion?: { readonly previewFormat?: 'markdown' | 'html' } };
  /** Skills the model may use, by name, or all; `settingSources` is then `user` and `project` unless given. */
  readonly skills?: readonly string[] | 'all';
  readonly plugins?: readonly PluginOptions[];
  /** `argv` (default): a folder per flag. `initialize`: on stdin; since 2.1.261. */
  readonly pluginDelivery?: 'argv' | 'initialize';
  /** `initialize`: external servers on stdin; since 2.1.261. Default: a private file. On the command line never (P11). */
  readonly mcpServersDelivery?: 'initialize';
  /** An MCP tool that decides instead of Troupe: no question comes here any more. */
  readonly permissionPromptToolName?: string;
  /**
   * Isolation of the commands that tools run, laid over the `sandbox` of inline `settings`. With `enabled: true` a machine that
   * cannot isolate them is an error of the turn, unless `failIfUnavailable: false`.
   */
  readonly sandbox?: Readonly<Record<string, unknown>>;
  /** Settings that rule over all others. They show in the list of processes, so they must hold no secret (P11). */
  readonly managedSettings?: Readonly<Record<string, unknown>>;
  /** Absolute path of the folder whose project configuration counts instead of that of `cwd`. Since 2.1.290. */
  readonly projectConfigRoot?: string;
  /** Reports the runs of hooks as messages. Default false. */
  readonly includeHookEvents?: boolean;
  /** Reports what subagents say in the foreground, too. Default false. */
  readonly forwardSubagentText?: boolean;
  /** Prompts reach the model as they are: no slash command, no `@` mention. Refused by releases before 2.1.248. */
  readonly verbatimPrompts?: boolean;
  /** Suggests a next prompt after each turn. Default false. */
  readonly promptSuggestions?: boolean;
  /** Summaries of what subagents do. Default false. */
  readonly agentProgressSummaries?: boolean;
  /** Tells the CLI that its background tasks can be stopped one by one here. Default false. */
  readonly perTaskStopAffordance?: boolean;
  readonly thinking?: ThinkingOptions;
  readonly effort?: 'low' | 'medium' | 'high' | 'xhigh' | 'max';
  /** Tokens a whole task may use. */
  readonly taskBudget?: { readonly total: number };
  /** Conversation to go on with. */
  readonly resume?: string;
  /** Goes on with the latest conversation of `cwd`; starts a new one when there is none. Default false. */
  readonly continue?: boolean;
  /** With `resume` or `continue`: goes on in a copy under a new id. Default false. */
  readonly forkSession?: boolean;
  /** UUID for the new conversation. Default: the CLI makes one up. */
  readonly sessionId?: string;
  /** With `resume`: cuts the history after the message with this uuid. */
  readonly resumeSessionAt?: string;
  /** With `resumeSessionAt`: the prompt that is expected to be cut off; the CLI refuses when more would be. Since 2.1.231. */
  readonly resumeDropsTurn?: string;
  /** False: the CLI writes no transcript, so the conversation ends with its process. Default true. */
  readonly persistSession?: boolean;
  /**
   * Gets a copy of the transcript as it grows, best effort; the CLI still writes its own file. With `resume` or `continue` the
   * conversation comes out of it, into a private folder that is removed when the session is over.
   */
  readonly sessionStore?: SessionStore;
  /** When lines go to the store. Default `batched`. */
  readonly sessionStoreFlush?: SessionStoreFlush;
  /** Deadline of each call of the store at a start, in milliseconds, `Infinity` for none (STORE_FAILED). Default 60 000. */
  readonly loadTimeoutMs?: number;
  /** Model calls allowed for one prompt. */
  readonly maxTurns?: number;
  /** US dollars; when they are used up every further prompt fails (WIRE §13). */
  readonly maxBudgetUsd?: number;
  /** Tokens the model may think; 0 for none. Older form of `thinking`, which wins when both are given. */
  readonly maxThinkingTokens?: number;
  /** Also reports pieces of messages while they stream. Default false. */
  readonly includePartialMessages?: boolean;
  /** Directories the session may use beside `cwd`; absolute paths. */
  readonly additionalDirectories?: readonly string[];
  /** Path of a settings file, or settings as JSON text or object (those go into a private file, P11). */
  readonly settings?: string | Readonly<Record<string, unknown>>;
  /** Settings of this machine to load. Default `[]`: none. */
  readonly settingSources?: readonly ('user' | 'project' | 'local')[];
  /** Further flags without their dashes; null for a flag without value. None that Troupe sets itself (`RESERVED_FLAGS`). */
  readonly extraArgs?: Readonly<Record<string, string | null>>;
  /** Variables of the child; undefined removes one. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** `extend`: on top of the host's environment, less `NESTING_VARIABLES` (R91). `exact`: `env` and nothing else of the host. */
  readonly envMode?: 'extend' | 'exact';
  /** Folder with the CLI's settings, credentials and transcripts (`CLAUDE_CONFIG_DIR`); relative to the host's cwd. */
  readonly configDir?: string;
  /** A path, relative to the host's cwd, or a bare name to look for on `PATH`. Default `claude`. Looked up at every start. */
  readonly pathToClaudeCodeExecutable?: string;
  /**
   * What the process speaks; see docs/dialects.md. `auto` (default): `stream-json`, the real CLI, and what begins like it is told
   * by its first lines (DIALECT_MISMATCH where it is something else).
   */
  readonly dialect?: DialectOption;
  /** Arguments of an engine (`dialect: 'json-rpc'`), before those of `extraArgs`: `['serve', '--stdio']` for `troupe`. */
  readonly engineArgs?: readonly string[];
  /** Runtime for a CLI that is a script (.js, .mjs, .cjs). Default: the Node that runs Troupe. */
  readonly executable?: string;
  /** Arguments of that runtime. */
  readonly executableArgs?: readonly string[];
  /** Always refused: it hides the pid, without which no tree can be ended (P1). Give `createSupervisor` a `spawn`. */
  readonly spawnClaudeCodeProcess?: never;
  /** Keeps copies of changed files, so that they can be rewound. Default false. */
  readonly enableFileCheckpointing?: boolean;
  /** API beta features. */
  readonly betas?: readonly string[];
  /** JSON schema that the result of a turn must fit. */
  readonly outputFormat?: { readonly type: 'json_schema'; readonly schema: Readonly<Record<string, unknown>> };
  /** The CLI writes a debug log. Default false. */
  readonly debug?: boolean;
  /** Path of that log; implies `debug`. */
  readonly debugFile?: string;
  /** Hears every line the CLI writes to stderr. */
  readonly stderr?: (line: string) => void;
  /** Callbacks at the events of the CLI, by event; they outlive a restart. */
  readonly hooks?: HooksOption;
  /** Ends the start when it fires. */
  readonly signal?: AbortSignal;
  /** As in the official SDK: ends the start, and later the session. */
  readonly abortController?: AbortController;
  /** False: the process is started by the first prompt. Default true. */
  readonly autoStart?: boolean;
  /** A name of the caller's for what this session works on. */
  readonly key?: string;
  /**
   * Names the account whose limits and login the session shares with others. Default: told apart by configuration folder and
   * credentials.
   */
  readonly account?: string;
  /**
   * What becomes of a prompt whose turn meets a limit of the account. `retry` (default): it is sent once more after the reset,
   * or goes on where it was cut off. `fail`: it fails, and what follows waits. `ignore`: it fails, and nothing waits.
   */
  readonly onQuota?: 'retry' | 'fail' | 'ignore';
  /** True keeps processes that the CLI started and left behind (P1). Default false. */
  readonly keepDescendants?: boolean;
  /** The file in which its traffic with the CLI is recorded: see docs/record-and-replay.md. Default: none. */
  readonly record?: string | RecordOptions;
  readonly restart?: RestartOptions;
  readonly onPromptLost?: OnPromptLost;
  readonly onRestart?: OnRestart;
  readonly timeouts?: TimeoutOptions;
  readonly limits?: LimitOptions;
  /** What this session may spend; each entry replaces what the supervisor says of every session. */
  readonly budget?: SessionBudgetOptions;
}

/**
 * Checks start options at the edge. Throws INVALID_OPTIONS with `details` `{ field, reason, issues: [{ field, reason }] }`
 * for unknown names, wrong types, contradictions, and values that would become flags or further rules (R95).
 */
export function parseSessionOptions(input: unknown): SessionOptions {
  const plain = readPlainValue(input);
  if (plain.issues.length > 0) throw invalidOptions(plain.issues);
  const options = readGiven(plain.value) ?? readAll(plain.value);
  const issues = brokenRules(options);
  if (issues.length > 0) throw invalidOptions(issues);
  return options;
}

/** Looks only at what is given: to see that a hundred others are not costs more. Undefined where something is wrong. */
function readGiven(value: unknown): SessionOptions | undefined {
  if (!isPlain(value)) return undefined;
  const { shape } = SessionOptionsSchema;
  const read: Record<string, unknown> = {};
  for (const [name, given] of Object.entries(value)) {
    const parsed = isOptionName(name) ? shape[name].safeParse(given) : undefined;
    if (parsed?.success !== true) return undefined;
    read[name] = parsed.data;
  }
  // Every option may be left out, and each that is here is what its schema made of it.
  return read as SessionOptions;

  function isOptionName(name: string): name is keyof typeof shape {
    return Object.hasOwn(shape, name);
  }
}

function readAll(value: unknown): SessionOptions {
  const parsed = SessionOptionsSchema.safeParse(value);
  if (!parsed.success) throw invalidOptions(issuesOf(parsed.error, SESSION_OPTION_NAMES));
  return parsed.data;
}
