import { z } from 'zod';
import { SessionId } from './parameters.ts';

const Switch = z.boolean().exactOptional();
const Text = z.string().min(1).max(100_000);
const Name = z.string().min(1).max(500);
const Names = z.array(Name).max(1_000).readonly().exactOptional();
const Count = z.int().min(1).exactOptional();
const Wait = z.number().nonnegative().exactOptional();
const Duration = z.number().positive().exactOptional();
const Money = z.number().positive().exactOptional();

/** A subagent, without what would start programs or lift questions: servers of its own, a permission mode. */
const Agent = z.strictObject({
  description: Text,
  prompt: Text,
  tools: Names,
  disallowedTools: Names,
  model: Name.exactOptional(),
  maxTurns: Count,
  background: Switch,
  omitClaudeMd: Switch,
});

const Rule = z.strictObject({ tool: Name, behavior: z.enum(['allow', 'deny', 'ask']) });

const Timeouts = z.strictObject({
  spawnMs: Duration,
  initializeMs: Duration,
  mcpServerMs: Duration,
  controlMs: Duration,
  turnMs: Duration,
  stallMs: Duration,
  stallInterruptMs: Duration,
  toolStallMs: Duration,
  toolStallInterruptMs: Duration,
  permissionMs: Duration,
  hookMs: Duration,
  interruptMs: Duration,
  idleMs: Duration,
  closeGraceMs: Duration,
  terminateGraceMs: Duration,
  killGraceMs: Duration,
  admissionMs: Duration,
});

const Restart = z.strictObject({
  type: z.enum(['permanent', 'transient', 'temporary']).exactOptional(),
  intensity: z.int().min(0).exactOptional(),
  periodMs: Duration,
  backoff: z.strictObject({ minMs: Wait, maxMs: Wait, factor: Wait, jitter: Wait }).exactOptional(),
});

/**
 * The options of a session that may be given over HTTP, named as in the library. Whatever could start another program, read
 * settings of this machine, lift the questions altogether or hold a secret is not among them: a server opens those one by one
 * (`openOptions`).
 */
export const SessionRequest = z
  .strictObject({
    id: SessionId.exactOptional(),
    cwd: z
      .string()
      .min(1)
      .max(4_096)
      .exactOptional()
      .meta({ description: 'A folder inside the roots of the server. Default: the first root.' }),
    key: Name.exactOptional(),
    title: Name.exactOptional(),
    model: Name.exactOptional(),
    fallbackModel: Name.exactOptional(),
    permissionMode: z.enum(['default', 'acceptEdits', 'bypassPermissions', 'plan', 'dontAsk', 'auto']).exactOptional(),
    permissionPrompts: z.enum(['host', 'none']).exactOptional(),
    permissions: z.strictObject({ rules: z.array(Rule).max(1_000).readonly().exactOptional() }).exactOptional(),
    allowedTools: Names,
    disallowedTools: Names,
    tools: z
      .union([
        z.array(Name).max(1_000).readonly(),
        z.strictObject({ type: z.literal('preset'), preset: z.literal('claude_code') }),
      ])
      .exactOptional(),
    systemPrompt: z
      .union([
        Text,
        z.array(Text).max(100).readonly(),
        z.strictObject({ type: z.literal('preset'), preset: z.literal('claude_code'), append: Text.exactOptional() }),
      ])
      .exactOptional(),
    agents: z.record(Name, Agent).exactOptional(),
    agent: Name.exactOptional(),
    planModeInstructions: Text.exactOptional(),
    supportedDialogKinds: Names,
    thinking: z
      .discriminatedUnion('type', [
        z.strictObject({ type: z.literal('adaptive') }),
        z.strictObject({ type: z.literal('enabled'), budgetTokens: Count }),
        z.strictObject({ type: z.literal('disabled') }),
      ])
      .exactOptional(),
    effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).exactOptional(),
    taskBudget: z.strictObject({ total: z.int().min(1) }).exactOptional(),
    maxTurns: Count,
    maxBudgetUsd: Money,
    maxThinkingTokens: z.int().min(0).exactOptional(),
    outputFormat: z
      .strictObject({ type: z.literal('json_schema'), schema: z.record(z.string(), z.unknown()) })
      .exactOptional(),
    additionalDirectories: z
      .array(z.string().min(1).max(4_096))
      .max(100)
      .readonly()
      .exactOptional()
      .meta({ description: 'Folders inside the roots of the server.' }),
    resume: Name.exactOptional(),
    continue: Switch,
    forkSession: Switch,
    sessionId: Name.exactOptional(),
    resumeSessionAt: Name.exactOptional(),
    persistSession: Switch,
    includePartialMessages: Switch,
    includeHookEvents: Switch,
    forwardSubagentText: Switch,
    verbatimPrompts: Switch,
    promptSuggestions: Switch,
    agentProgressSummaries: Switch,
    enableFileCheckpointing: Switch,
    autoStart: Switch,
    account: Name.exactOptional(),
    onQuota: z.enum(['retry', 'fail', 'ignore']).exactOptional(),
    onPromptLost: z.enum(['once', 'retry', 'fail', 'ask']).exactOptional(),
    onRestart: z.enum(['resume', 'hold', 'fail']).exactOptional(),
    restart: Restart.exactOptional(),
    timeouts: Timeouts.exactOptional(),
    budget: z.record(z.string().max(100), z.unknown()).exactOptional(),
  })
  .meta({ id: 'SessionRequest' });

export type SessionRequest = z.infer<typeof SessionRequest>;

/** What answers questions before they are asked: giving one needs the scope `answer` as well. */
export const ANSWERS_IN_ADVANCE = ['allowedTools', 'permissions'] as const;

/** Modes in which tools run that would have been asked about. */
export const ANSWERING_MODES: readonly string[] = ['acceptEdits', 'bypassPermissions', 'auto'];
