import { z } from 'zod';
import { HOOK_EVENTS } from '../hooks/hook-input.ts';
import { HooksSchema } from '../hooks/hook-options.ts';
import type { CanUseTool } from '../permissions/permission-desk.ts';
import {
  type Agrees,
  BackoffShape,
  callable,
  FilledText,
  FlagValue,
  LimitShape,
  objectWith,
  RestartShape,
  TimeoutShape,
  ToolRule,
} from './field-schemas.ts';
import { extraFlagFault } from './reserved-flags.ts';
import type { McpServerOptions, SessionOptions } from './session-options.ts';

const Switch = z.boolean().exactOptional();
const RuleList = z.array(ToolRule).readonly();
const Preset = { type: z.literal('preset'), preset: z.literal('claude_code') };
const PRESET_TEXT = "{ type: 'preset', preset: 'claude_code' }";

/** An option that would do nothing is refused instead of being ignored. */
const NotRequired = z
  .custom<never>(
    () => false,
    "only servers of type 'sdk' can be required in this release: nothing waits for those that the CLI runs",
  )
  .exactOptional();

const Headers = z
  .record(
    FilledText,
    z.string().refine((value) => !/[\r\n]/.test(value), 'must not contain line breaks'),
  )
  .exactOptional();

const McpServer = z.discriminatedUnion(
  'type',
  [
    z.strictObject({
      type: z.literal('sdk'),
      name: FilledText,
      instance: objectWith<object>('an McpServer', 'connect', 'close'),
      required: Switch,
    }),
    z.strictObject({
      type: z.literal('stdio').exactOptional(),
      command: FilledText,
      args: z.array(z.string()).readonly().exactOptional(),
      env: z.record(FilledText, z.string()).exactOptional(),
      required: NotRequired,
    }),
    z.strictObject({ type: z.literal(['sse', 'http']), url: FilledText, headers: Headers, required: NotRequired }),
  ],
  "expected a server with type 'sdk', 'stdio' (or none), 'sse' or 'http'",
);

const Agent = z
  .looseObject({
    description: z.string(),
    prompt: z.string(),
    tools: z.array(z.string()).readonly().exactOptional(),
    disallowedTools: z.array(z.string()).readonly().exactOptional(),
    model: z.string().exactOptional(),
  })
  .refine(isJson, 'must be data that JSON can hold');

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
  permissionMode: z.enum(['default', 'acceptEdits', 'bypassPermissions', 'plan', 'dontAsk', 'auto']).exactOptional(),
  allowDangerouslySkipPermissions: Switch,
  allowedTools: RuleList.exactOptional(),
  disallowedTools: RuleList.exactOptional(),
  tools: either(RuleList, z.strictObject(Preset), `expected a list of tool names or ${PRESET_TEXT}`),
  mcpServers: z.record(FlagValue, McpServer).exactOptional(),
  strictMcpConfig: Switch,
  canUseTool: callable<CanUseTool>().exactOptional(),
  permissionPrompts: z.enum(['host', 'none']).exactOptional(),
  systemPrompt: either(
    z.string(),
    z.strictObject({ ...Preset, append: z.string().exactOptional() }),
    `expected a text or ${PRESET_TEXT.replace(' }', ', append? }')}`,
  ),
  agents: z.record(FilledText, Agent).exactOptional(),
  resume: FlagValue.exactOptional(),
  continue: Switch,
  forkSession: Switch,
  sessionId: FlagValue.regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, 'must be a UUID').exactOptional(),
  resumeSessionAt: FlagValue.exactOptional(),
  persistSession: Switch,
  maxTurns: z.number().int('must be a whole number').positive('must be above 0').exactOptional(),
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
  executable: FilledText.exactOptional(),
  executableArgs: z.array(z.string()).readonly().exactOptional(),
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
  keepDescendants: Switch,
  restart: z.strictObject(RestartShape).exactOptional(),
  timeouts: z.strictObject(TimeoutShape).exactOptional(),
  limits: z.strictObject(LimitShape).exactOptional(),
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
  hooks: HOOK_EVENTS,
};

true satisfies Agrees<z.infer<typeof SessionOptionsSchema>, SessionOptions>;
true satisfies Agrees<z.infer<typeof McpServer>, McpServerOptions>;

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
