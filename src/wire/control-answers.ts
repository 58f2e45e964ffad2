import { z } from 'zod';
import { TroupeError } from '../errors.ts';

/*
 * What the CLI answers to the requests of WIRE §9 and §1. Only fields that a caller builds on are named; all others pass
 * through as they came, because every release adds some.
 */

const text = z.string();
const count = z.number();

export const SlashCommandSchema = z.looseObject({
  name: text,
  description: text.optional(),
  argumentHint: text.optional(),
});
export const ModelInfoSchema = z.looseObject({
  value: text,
  displayName: text.optional(),
  description: text.optional(),
});
export const AgentInfoSchema = z.looseObject({ name: text, description: text.optional(), model: text.optional() });
export const AccountInfoSchema = z.looseObject({
  email: text.optional(),
  organization: text.optional(),
  tokenSource: text.optional(),
  apiKeySource: text.optional(),
});
export const McpServerStatusSchema = z.looseObject({
  name: text,
  status: text,
  error: text.optional(),
  scope: text.optional(),
  tools: z.array(z.looseObject({ name: text })).optional(),
});

export const InitializeAnswerSchema = z.looseObject({
  commands: z.array(SlashCommandSchema).default([]),
  agents: z.array(AgentInfoSchema).default([]),
  models: z.array(ModelInfoSchema).default([]),
  account: AccountInfoSchema.default({}),
  output_style: text.optional(),
  available_output_styles: z.array(text).default([]),
});
export const McpStatusSchema = z.looseObject({ mcpServers: z.array(McpServerStatusSchema) });
export const McpSetServersSchema = z.looseObject({
  added: z.array(text).default([]),
  removed: z.array(text).default([]),
  errors: z.record(text, text).default({}),
});
export const ContextUsageSchema = z.looseObject({
  categories: z.array(z.looseObject({ name: text, tokens: count })),
  totalTokens: count,
  maxTokens: count,
  percentage: count.optional(),
});
export const SettingsAnswerSchema = z.looseObject({
  effective: z.record(text, z.unknown()),
  sources: z.array(z.unknown()),
  applied: z.looseObject({ model: text.nullish(), effort: text.nullish() }).optional(),
});
export const UsageAnswerSchema = z.looseObject({
  session: z.looseObject({ total_cost_usd: count.optional(), model_usage: z.record(text, z.unknown()).optional() }),
  rate_limits: z.record(text, z.unknown()).nullish(),
});
export const SessionCostSchema = z.looseObject({ text });
export const ModelListSchema = z.looseObject({ models: z.array(ModelInfoSchema) });
export const PermissionRulesSchema = z.looseObject({
  state: z.looseObject({ rules: z.array(z.looseObject({})), workspaceDirectories: z.array(z.unknown()).optional() }),
});
export const BinaryVersionSchema = z.looseObject({ version: text, buildTime: text.optional() });
export const HooksListingSchema = z.looseObject({
  events: z.array(z.looseObject({ name: text })),
  hooks: z.array(z.looseObject({ event: text })),
});
export const TaskOutputSchema = z.looseObject({
  output: text,
  total_bytes: count.optional(),
  truncated: z.boolean().optional(),
});
export const FileSuggestionsSchema = z.looseObject({ suggestions: z.array(z.unknown()) });
export const FileContentSchema = z.looseObject({ contents: text, absPath: text, truncated: z.boolean().optional() });
export const PluginsSchema = z.looseObject({
  commands: z.array(SlashCommandSchema),
  plugins: z.array(z.looseObject({ name: text })),
  error_count: count.optional(),
});
export const SkillsSchema = z.looseObject({ skills: z.array(z.unknown()).optional() });
export const OutputStylesSchema = z.looseObject({ available_output_styles: z.array(text) });
export const RewindSchema = z.looseObject({
  canRewind: z.boolean(),
  error: text.optional(),
  filesChanged: z.array(text).optional(),
  insertions: count.optional(),
  deletions: count.optional(),
});
export const ResourceSchema = z.looseObject({ contents: z.array(z.looseObject({ uri: text, text: text.optional() })) });
export const CancelledSchema = z.looseObject({ cancelled: z.boolean() });
export const BackgroundedSchema = z.looseObject({ backgrounded: z.boolean().optional() });
/** For answers nobody builds on. */
export const AnySchema = z.looseObject({});

export type SlashCommand = z.infer<typeof SlashCommandSchema>;
export type ModelInfo = z.infer<typeof ModelInfoSchema>;
export type AgentInfo = z.infer<typeof AgentInfoSchema>;
export type AccountInfo = z.infer<typeof AccountInfoSchema>;
export type McpServerStatus = z.infer<typeof McpServerStatusSchema>;
export type InitializeAnswer = z.infer<typeof InitializeAnswerSchema>;

/** Reads an answer as its kind; one of another shape rejects with CONTROL_ANSWER_INVALID naming the field (P6). */
export function readAnswer<T extends z.ZodType>(schema: T, subtype: string, answer: unknown): z.infer<T> {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const field = issue?.path.join('.') ?? '';
  const reason = `"${subtype}": ${field === '' ? '' : `${field}: `}${issue?.message ?? 'malformed'}.`;
  throw new TroupeError('CONTROL_ANSWER_INVALID', { reason, details: { subtype, field } });
}
