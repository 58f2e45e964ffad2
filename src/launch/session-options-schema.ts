import { z } from 'zod';
import type { SessionStore } from '../conversations/session-store.ts';
import { HOOK_EVENTS } from '../hooks/hook-input.ts';
import { HooksSchema } from '../hooks/hook-options.ts';
import type { CanUseTool } from '../permissions/can-use-tool.ts';
import type { OnElicitation } from '../permissions/elicitation.ts';
import { PermissionsShape } from '../permissions/permissions-option.ts';
import type { OnUserDialog } from '../permissions/user-dialog.ts';
import { SessionBudgetShape } from './budget-options.ts';
import {
  type Agrees,
  BackoffShape,
  callable,
  DialectShape,
  Duration,
  FilledText,
  FlagValue,
  HostLossShape,
  LimitShape,
  objectWith,
  PromptLossShape,
  RestartShape,
  TimeoutShape,
  ToolRule,
} from './field-schemas.ts';
import { McpServersSchema } from './mcp-servers-schema.ts';
import { RECORD_OPTION_NAMES, RecordShape } from './record-options.ts';
import { extraFlagFault } from './reserved-flags.ts';
import type { SessionOptions } from './session-options.ts';
import { skillNameFault } from './skills.ts';

const Switch = z.boolean().exactOptional();
const Mode = z.enum(['default', 'acceptEdits', 'bypassPermissions', 'plan', 'dontAsk', 'auto']);
const Effort = z.enum(['low', 'medium', 'high', 'xhigh', 'max']);
const Count = z.number().int('must be a whole number').positive('must be above 0');
const RuleList = z.array(ToolRule).readonly();
const Preset = { type: z.literal('preset'), preset: z.literal('claude_code') };
const PRESET_TEXT = "{ type: 'preset', preset: 'claude_code' }";

/** Who starts the process in another way gives the supervisor a `spawn` (P1). */
const NotSpawned = z
  .custom<never>(
    () => false,
    'is not taken: a process without a pid cannot be ended with its whole tree; give createSupervisor a `spawn`',
  )
  .exactOptional();

const Agent = z
  .looseObject({
    description: z.string(),
    prompt: z.string(),
    tools: z.array(z.string()).readonly().exactOptional(),
    disallowedTools: z.array(z.string()).readonly().exactOptional(),
    model: z.string().exactOptional(),
    mcpServers: z
      .array(z.union([z.string(), z.record(z.string(), z.unknown())], { error: 'expected a name or an object' }))
      .readonly()
      .exactOptional(),
    skills: z.array(z.string()).readonly().exactOptional(),
    initialPrompt: z.string().exactOptional(),
    maxTurns: Count.exactOptional(),
    autoCompactWindow: Count.exactOptional(),
    background: Switch,
    omitClaudeMd: Switch,
    memory: z.enum(['user', 'project', 'local']).exactOptional(),
    effort: z.union([Effort, z.number().int('must be a whole number')]).exactOptional(),
    permissionMode: Mode.exactOptional(),
    observer: z.string().exactOptional(),
    observerMessage: z.string().exactOptional(),
    criticalSystemReminder_EXPERIMENTAL: z.string().exactOptional(),
  })
  .refine(isJson, 'must be data that JSON can hold');

const Display = z.enum(['summarized', 'omitted']).exactOptional();

const Texts = z.array(z.string()).readonly();

const SystemPrompt = z
  .union(
    [
      z.string(),
      Texts,
      z.discriminatedUnion('type', [
        z.strictObject({ type: z.literal('custom'), prompt: z.union([z.string(), Texts]), snapshot: Switch }),
        z.strictObject({
          ...Preset,
          append: z.string().exactOptional(),
          excludeDynamicSections: Switch,
          snapshot: Switch,
        }),
      ]),
    ],
    {
      error: `expected a text, a list of texts, { type: 'custom', prompt } or ${PRESET_TEXT.replace(' }', ', append? }')}`,
    },
  )
  .exactOptional();

const JsonObject = z.record(z.string(), z.unknown()).refine(isJson, 'must be data that JSON can hold');

const VariableName = z
  .string()
  .refine((name) => name !== '' && !name.includes('='), 'must be named without "=", and not be empty');

const Shape = {
  id: z
    .string()
    .regex(
      /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/,
      'must be 1 to 128 of A-Z a-z 0-9 . _ : - and start with a letter or digit',
    )
    .exactOptional(),
  cwd: FilledText.exactOptional(),
  model: FlagValue.exactOptional(),
  fallbackModel: FlagValue.exactOptional(),
  permissionMode: Mode.exactOptional(),
  allowDangerouslySkipPermissions: Switch,
  allowedTools: RuleList.exactOptional(),
  disallowedTools: RuleList.exactOptional(),
  tools: either(RuleList, z.strictObject(Preset), `expected a list of tool names or ${PRESET_TEXT}`),
  mcpServers: McpServersSchema.exactOptional(),
  strictMcpConfig: Switch,
  canUseTool: callable<CanUseTool>().exactOptional(),
  permissionPrompts: z.enum(['host', 'none']).exactOptional(),
  permissions: z.strictObject(PermissionsShape).exactOptional(),
  onElicitation: callable<OnElicitation>().exactOptional(),
  onUserDialog: callable<OnUserDialog>().exactOptional(),
  supportedDialogKinds: z.array(FilledText).readonly().exactOptional(),
  systemPrompt: SystemPrompt,
  agents: z.record(FilledText, Agent).exactOptional(),
  agent: FlagValue.exactOptional(),
  title: FilledText.exactOptional(),
  planModeInstructions: z.string().exactOptional(),
  toolAliases: z.record(FilledText, FilledText).exactOptional(),
  toolConfig: z
    .strictObject({
      askUserQuestion: z.strictObject({ previewFormat: z.enum(['markdown', 'html']).exactOptional() }).exactOptional(),
    })
    .exactOptional(),
  skills: either(
    z.array(checked(skillNameFault)).readonly(),
    z.literal('all'),
    "expected a list of skill names or 'all'",
  ),
  plugins: z
    .array(z.strictObject({ type: z.literal('local'), path: FilledText, skipMcpDiscovery: Switch }))
    .readonly()
    .exactOptional(),
  pluginDelivery: z.enum(['argv', 'initialize']).exactOptional(),
  mcpServersDelivery: z
    .literal('initialize', "expected 'initialize': on the command line the servers would show their secrets (P11)")
    .exactOptional(),
  permissionPromptToolName: FlagValue.exactOptional(),
  sandbox: JsonObject.exactOptional(),
  managedSettings: JsonObject.exactOptional(),
  projectConfigRoot: FilledText.exactOptional(),
  includeHookEvents: Switch,
  forwardSubagentText: Switch,
  verbatimPrompts: Switch,
  promptSuggestions: Switch,
  agentProgressSummaries: Switch,
  perTaskStopAffordance: Switch,
  thinking: z
    .discriminatedUnion('type', [
      z.strictObject({ type: z.literal('adaptive'), display: Display }),
      z.strictObject({
        type: z.literal('enabled'),
        budgetTokens: Count.exactOptional(),
        display: Display,
      }),
      z.strictObject({ type: z.literal('disabled') }),
    ])
    .exactOptional(),
  effort: Effort.exactOptional(),
  taskBudget: z
    .strictObject({ total: z.number().int('must be a whole number').positive('must be above 0') })
    .exactOptional(),
  resume: FlagValue.exactOptional(),
  continue: Switch,
  forkSession: Switch,
  sessionId: FlagValue.regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, 'must be a UUID').exactOptional(),
  resumeSessionAt: FlagValue.exactOptional(),
  resumeDropsTurn: FlagValue.exactOptional(),
  persistSession: Switch,
  sessionStore: objectWith<SessionStore>('a session store', 'append', 'load').exactOptional(),
  sessionStoreFlush: z.enum(['batched', 'eager']).exactOptional(),
  loadTimeoutMs: Duration.exactOptional(),
  maxTurns: Count.exactOptional(),
  maxBudgetUsd: z.number().positive('must be above 0').exactOptional(),
  maxThinkingTokens: z.number().int('must be a whole number').nonnegative('must not be below 0').exactOptional(),
  includePartialMessages: Switch,
  additionalDirectories: z.array(FilledText).readonly().exactOptional(),
  settings: either(FilledText, JsonObject, 'expected a path, JSON text, or an object that JSON can hold'),
  settingSources: z
    .array(z.enum(['user', 'project', 'local']))
    .readonly()
    .exactOptional(),
  extraArgs: z.record(checked(extraFlagFault), z.string().nullable()).exactOptional(),
  env: z.record(VariableName, z.string().optional()).exactOptional(),
  envMode: z.enum(['extend', 'exact']).exactOptional(),
  configDir: FilledText.exactOptional(),
  pathToClaudeCodeExecutable: FilledText.exactOptional(),
  dialect: DialectShape,
  engineArgs: z.array(z.string()).readonly().exactOptional(),
  executable: FilledText.exactOptional(),
  executableArgs: z.array(z.string()).readonly().exactOptional(),
  spawnClaudeCodeProcess: NotSpawned,
  enableFileCheckpointing: Switch,
  betas: z
    .array(FlagValue.refine((name) => !/[\s,]/.test(name), 'must not contain blanks or commas'))
    .readonly()
    .exactOptional(),
  outputFormat: z.strictObject({ type: z.literal('json_schema'), schema: JsonObject }).exactOptional(),
  debug: Switch,
  debugFile: FilledText.exactOptional(),
  stderr: callable<(line: string) => void>().exactOptional(),
  hooks: HooksSchema.exactOptional(),
  signal: objectWith<AbortSignal>('an AbortSignal', 'addEventListener', 'throwIfAborted').exactOptional(),
  abortController: objectWith<AbortController>('an AbortController', 'abort').exactOptional(),
  autoStart: Switch,
  key: FilledText.exactOptional(),
  account: FilledText.exactOptional(),
  onQuota: z.enum(['retry', 'fail', 'ignore']).exactOptional(),
  keepDescendants: Switch,
  record: RecordShape.exactOptional(),
  restart: z.strictObject(RestartShape).exactOptional(),
  onPromptLost: PromptLossShape.exactOptional(),
  onRestart: HostLossShape.exactOptional(),
  timeouts: z.strictObject(TimeoutShape).exactOptional(),
  limits: z.strictObject(LimitShape).exactOptional(),
  budget: z.strictObject(SessionBudgetShape).exactOptional(),
};

/** Start options of a session, strictly: `parseSessionOptions` is the way in. */
export const SessionOptionsSchema = z.strictObject(Shape);

/** For "did you mean". */
export const SESSION_OPTION_NAMES = {
  '': Object.keys(Shape),
  restart: Object.keys(RestartShape),
  'restart.backoff': Object.keys(BackoffShape),
  timeouts: Object.keys(TimeoutShape),
  limits: Object.keys(LimitShape),
  budget: Object.keys(SessionBudgetShape),
  hooks: HOOK_EVENTS,
  record: RECORD_OPTION_NAMES,
  permissions: Object.keys(PermissionsShape),
};

true satisfies Agrees<z.infer<typeof SessionOptionsSchema>, SessionOptions>;

function either<A extends z.ZodType, B extends z.ZodType>(first: A, second: B, expected: string) {
  return z.union([first, second], { error: expected }).exactOptional();
}

function checked(faultOf: (text: string) => string | undefined) {
  return z.string().check((context) => {
    const fault = faultOf(context.value);
    if (fault !== undefined) context.issues.push({ code: 'custom', message: fault, input: context.value });
  });
}

function isJson(value: unknown): boolean {
  try {
    return typeof JSON.stringify(value) === 'string';
  } catch {
    return false;
  }
}
