import { z } from 'zod';

const SessionId = z.string().min(1).max(200);
const Text = z.string().max(10_000);

/** Hooks of the front end, by event; each is called by its id. */
const HookMatchersShape = z
  .record(
    z.string().max(100),
    z
      .array(
        z.object({
          matcher: z.string().max(10_000).nullish(),
          hook_ids: z.array(z.string().min(1).max(200)).max(100),
          timeout: z.number().positive().nullish(),
          on_failure: z.enum(['continue', 'block']).nullish(),
        }),
      )
      .max(100),
  )
  .refine((events) => Object.keys(events).length <= 100, 'must name at most 100 events');
export type HookMatchers = z.infer<typeof HookMatchersShape>;

/** The parameters of each method, in the spelling of the dialect; what is unknown is ignored, as it may be newer. */
export const InitializeParams = z.object({
  protocol_version: z.string().regex(/^\d{1,4}\.\d{1,4}$/, 'must be like "1.0"'),
  capabilities: z
    .object({
      streaming: z.boolean().optional(),
      permissions: z.boolean().optional(),
      progress: z.boolean().optional(),
      messages: z.boolean().optional(),
    })
    .nullish(),
  role: z.enum(['controller', 'observer']).nullish(),
  session_id: SessionId.nullish(),
  hooks: HookMatchersShape.nullish(),
  /** Names of MCP servers that run in the front end. */
  in_process_servers: z.array(z.string().min(1).max(100)).max(100).nullish(),
  /** With what the sessions that it starts are started, unless `session_start` says otherwise. */
  options: z.record(z.string(), z.unknown()).nullish(),
  /** Who it is, where the link itself does not say it. */
  token: z.string().max(500).nullish(),
});

export const UserMessageParams = z.object({
  content: z.union([z.string(), z.array(z.record(z.string(), z.unknown())).max(1_000)]),
  session_id: SessionId.nullish(),
  prompt_id: z.string().max(200).nullish(),
  on_busy: z.enum(['enqueue', 'steer', 'interrupt', 'reject']).nullish(),
});

export const InterruptParams = z
  .object({ session_id: SessionId.nullish(), cancel_queued: z.boolean().nullish() })
  .nullish();

export const CancelParams = z.object({ session_id: SessionId.nullish(), prompt_id: z.string().min(1).max(200) });

export const StartParams = z.object({
  session_id: SessionId.nullish(),
  options: z.record(z.string(), z.unknown()).nullish(),
});

export const AttachParams = z.object({ session_id: SessionId, from: z.int().min(0).nullish() });

export const DetachParams = z.object({ session_id: SessionId });

export const McpMessageParams = z.object({ server_name: z.string(), message: z.record(z.string(), z.unknown()) });

export const ListParams = z.unknown();

const Choice = z.union([z.string(), z.strictObject({ other: z.string() })]);

/** What a front end answers to `permission_request`. */
export const Decision = z.object({
  decision: z.enum(['allow', 'deny']),
  scope: z.enum(['once', 'session', 'always']).nullish(),
  updated_input: z.record(z.string(), z.unknown()).nullish(),
  /** For a denial: told to the model. */
  message: Text.nullish(),
  interrupt: z.boolean().nullish(),
  /** For AskUserQuestion: by the text of the question. */
  answers: z.record(z.string(), z.union([Choice, z.array(Choice)])).nullish(),
  /** For an elicitation: its values. */
  content: z.record(z.string(), z.unknown()).nullish(),
  /** For a dialog. */
  result: z.unknown().optional(),
});
export type Decision = z.infer<typeof Decision>;
