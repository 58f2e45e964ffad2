import { type FeatureName, hasFeature, sinceOf } from '../wire/features.ts';
import type { SessionOptions } from './session-options.ts';

/** Where an option ends up. `host`: Troupe itself obeys it, and the CLI never hears of it. */
export type OptionPlace = 'flag' | 'initialize' | 'environment' | 'private file' | 'prompt' | 'host';

export interface OptionSupport {
  readonly place: OptionPlace;
  /** The flag, field or variable; what Troupe does with it where it is the host's. */
  readonly name: string;
  /** What a release must have to obey it, where 2.1.197 and older do not … */
  readonly needs?: FeatureName;
  /** … and the first that has it. */
  readonly since?: string;
  /** What an older release does: refuse to start with an unknown flag, ignore the option, or, refused here, do harm by that. */
  readonly otherwise?: 'exits' | 'ignores' | 'refused';
  /** What holds without it, where that is Troupe's choice; otherwise nothing is sent, and the CLI chooses. */
  readonly fallback?: string;
}

const flag = (name: string, more: Partial<OptionSupport> = {}): OptionSupport => ({ place: 'flag', name, ...more });
const field = (name: string, more: Partial<OptionSupport> = {}): OptionSupport => ({
  place: 'initialize',
  name,
  ...more,
});
const host = (name: string, more: Partial<OptionSupport> = {}): OptionSupport => ({ place: 'host', name, ...more });
const needing = (needs: FeatureName) => ({ needs, since: sinceOf(needs) });

/**
 * Every start option, in the order of the documentation. An unknown flag ends the start, an unknown field is ignored without
 * a word. Since when one is known says the table of features (`src/wire/features.ts`). `docs/options.md` is generated from both.
 */
export const OPTION_SUPPORT: Readonly<Record<keyof SessionOptions, OptionSupport>> = {
  id: host('the name of the session', { fallback: 'made up' }),
  cwd: host('working directory of the process', { fallback: 'that of the host' }),
  model: flag('--model'),
  fallbackModel: flag('--fallback-model'),
  permissionMode: flag('--permission-mode', { fallback: '`default`' }),
  allowDangerouslySkipPermissions: flag('--allow-dangerously-skip-permissions'),
  allowedTools: flag('--allowedTools'),
  disallowedTools: flag('--disallowedTools'),
  tools: flag('--tools'),
  mcpServers: { place: 'private file', name: '--mcp-config' },
  strictMcpConfig: flag('--strict-mcp-config'),
  canUseTool: host('answers can_use_tool', { fallback: 'the inbox of the session' }),
  permissionPrompts: host('answers can_use_tool', { fallback: '`host`' }),
  permissions: host('answers can_use_tool, and a hook before each tool'),
  onElicitation: host('answers elicitation', { fallback: 'the inbox of the session' }),
  onUserDialog: host('answers request_user_dialog', { fallback: 'the inbox of the session' }),
  supportedDialogKinds: field('supportedDialogKinds'),
  systemPrompt: field('systemPrompt, appendSystemPrompt, excludeDynamicSections, systemPromptSnapshot'),
  agents: field('agents'),
  agent: flag('--agent'),
  title: field('title'),
  planModeInstructions: field('planModeInstructions'),
  toolAliases: field('toolAliases'),
  toolConfig: { place: 'environment', name: 'CLAUDE_CODE_QUESTION_PREVIEW_FORMAT' },
  skills: flag('--allowedTools, and the field skills'),
  plugins: flag('--plugin-dir, --plugin-dir-no-mcp'),
  pluginDelivery: flag('--await-initialize, and the field plugins', {
    ...needing('awaitInitialize'),
    otherwise: 'exits',
    fallback: '`argv`',
  }),
  mcpServersDelivery: flag('--await-initialize, and the field mcpServers', {
    ...needing('awaitInitialize'),
    otherwise: 'exits',
  }),
  permissionPromptToolName: flag('--permission-prompt-tool', { fallback: 'Troupe answers' }),
  sandbox: { place: 'private file', name: '--settings' },
  managedSettings: flag('--managed-settings'),
  projectConfigRoot: flag('--project-config-root', { ...needing('projectConfigRoot'), otherwise: 'exits' }),
  includeHookEvents: flag('--include-hook-events'),
  forwardSubagentText: field('forwardSubagentText'),
  // Ignored, it would let a prompt run as a command that was meant not to.
  verbatimPrompts: { place: 'prompt', name: 'client_composed', ...needing('verbatimPrompts'), otherwise: 'refused' },
  promptSuggestions: field('promptSuggestions'),
  agentProgressSummaries: field('agentProgressSummaries'),
  perTaskStopAffordance: field('perTaskStopAffordance', { ...needing('perTaskStop'), otherwise: 'ignores' }),
  thinking: flag('--thinking, --max-thinking-tokens, --thinking-display'),
  effort: flag('--effort'),
  taskBudget: flag('--task-budget'),
  resume: flag('--resume'),
  continue: flag('--continue'),
  forkSession: flag('--fork-session'),
  sessionId: flag('--session-id'),
  resumeSessionAt: flag('--resume-session-at'),
  resumeDropsTurn: flag('--resume-drops-turn', { ...needing('resumeDropsTurn'), otherwise: 'exits' }),
  persistSession: flag('--no-session-persistence'),
  sessionStore: flag('--session-mirror'),
  sessionStoreFlush: host('when lines go to the store', { fallback: '`batched`' }),
  loadTimeoutMs: host('deadline of the store at a start', { fallback: '60 000' }),
  maxTurns: flag('--max-turns'),
  maxBudgetUsd: flag('--max-budget-usd'),
  maxThinkingTokens: flag('--max-thinking-tokens'),
  includePartialMessages: flag('--include-partial-messages'),
  additionalDirectories: flag('--add-dir'),
  settings: { place: 'private file', name: '--settings' },
  settingSources: flag('--setting-sources', { fallback: 'none; `user` and `project` with `skills`' }),
  extraArgs: flag('as named'),
  env: { place: 'environment', name: 'as named' },
  envMode: host('what the process inherits', { fallback: '`extend`' }),
  configDir: { place: 'environment', name: 'CLAUDE_CONFIG_DIR' },
  pathToClaudeCodeExecutable: host('the program that is started', { fallback: '`claude` on `PATH`' }),
  dialect: host('what the process speaks', { fallback: '`auto`' }),
  engineArgs: host('arguments of an engine; only with `dialect: json-rpc`'),
  executable: host('the runtime of a CLI that is a script', { fallback: 'the Node of the host' }),
  executableArgs: host('arguments of that runtime'),
  spawnClaudeCodeProcess: host('refused: createSupervisor takes a spawn'),
  enableFileCheckpointing: { place: 'environment', name: 'CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING' },
  betas: flag('--betas'),
  outputFormat: field('jsonSchema'),
  debug: flag('--debug'),
  debugFile: flag('--debug-file'),
  stderr: host('hears every line of stderr'),
  hooks: field('hooks'),
  signal: host('ends the start'),
  abortController: host('ends the start and the session'),
  autoStart: host('when the process is started', { fallback: 'at once' }),
  key: host('a name that the caller gives'),
  account: host('whose limits and login it shares', { fallback: 'by folder and credentials' }),
  onQuota: host('what a limit of the account means for a prompt', { fallback: '`retry`' }),
  keepDescendants: host('what happens to processes left behind'),
  record: host('the file in which its traffic is recorded', { fallback: 'none' }),
  restart: host('when a process is replaced', { fallback: '`DEFAULT_RESTART`' }),
  onPromptLost: host('what becomes of a prompt that was cut off', { fallback: '`once`' }),
  onRestart: host('what becomes of a session whose host was lost', { fallback: '`resume`' }),
  timeouts: host('deadlines', { fallback: '`DEFAULT_TIMEOUTS`' }),
  limits: host('bounds', { fallback: '`DEFAULT_LIMITS`' }),
  budget: host('what the session may spend', { fallback: 'no limit' }),
};

interface PartSupport extends OptionSupport {
  readonly isGiven: (options: SessionOptions) => boolean;
}

/** Parts of an option that came later than the option itself. */
export const PART_SUPPORT: Readonly<Record<string, PartSupport>> = {
  'systemPrompt.snapshot': {
    ...field('systemPromptSnapshot', { ...needing('promptSnapshots'), otherwise: 'ignores' }),
    isGiven: ({ systemPrompt: prompt }) =>
      typeof prompt === 'object' && 'type' in prompt && prompt.snapshot !== undefined,
  },
};

/** An option that the release at hand does not obey. */
export interface UnsupportedOption {
  /** Its name, or that of a part of it. */
  readonly option: string;
  readonly since: string;
  readonly isRefused: boolean;
}

/**
 * The options given that this release would ignore. Releases up to 2.1.197 do not tell their version with `initialize`, so
 * an unknown one counts as old (WIRE §1). Flags are not among them: of those the CLI itself says that it knows them not.
 */
export function unsupportedOptions(options: SessionOptions, cliVersion: string | undefined): UnsupportedOption[] {
  return PARTIAL.flatMap(({ option, needs, otherwise, isGiven }) => {
    if (!isGiven(options) || hasFeature(cliVersion, undefined, needs)) return [];
    return [{ option, since: sinceOf(needs), isRefused: otherwise === 'refused' }];
  });
}

/** What some release ignores. */
const PARTIAL = [
  ...Object.entries(OPTION_SUPPORT).map(([option, support]) => ({
    option,
    ...support,
    isGiven: (options: SessionOptions) => isGiven(options[option as keyof SessionOptions]),
  })),
  ...Object.entries(PART_SUPPORT).map(([option, support]) => ({ option, ...support })),
].flatMap(({ needs, ...support }) =>
  needs === undefined || support.otherwise === 'exits' ? [] : [{ ...support, needs }],
);

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== false;
}
