import { z } from 'zod';

const Data = z.record(z.string(), z.unknown());

/**
 * What may answer a question, by its kind: `behavior` for a tool, `action` for what an MCP server asks the user, `result` or
 * `behavior` for a dialog. The library checks the rest and says INVALID_ANSWER.
 */
export const PermissionAnswer = z
  .looseObject({
    behavior: z.string().max(100).optional(),
    updatedInput: Data.optional(),
    updatedPermissions: z.array(Data).max(1_000).optional(),
    scope: z.enum(['once', 'session', 'always']).optional(),
    message: z.string().max(100_000).optional(),
    interrupt: z.boolean().optional(),
    action: z.string().max(100).optional(),
    content: Data.optional(),
  })
  .meta({ id: 'PermissionAnswer' });

/** What is told of a question wherever one is shown: of a session, of all of them, and in a line of `--json`. */
export const QUESTION_FIELDS = {
  kind: z.enum(['tool', 'elicitation', 'dialog']),
  toolName: z.string().exactOptional(),
  toolUseId: z.string().exactOptional(),
  agentId: z.string().exactOptional(),
  title: z.string().exactOptional(),
  displayName: z.string().exactOptional(),
  description: z.string().exactOptional(),
  decisionReason: z.string().exactOptional(),
  decisionReasonType: z.string().exactOptional(),
  blockedPath: z.string().exactOptional(),
  suggestions: z.array(z.unknown()).exactOptional(),
};

export const PermissionQuestion = z
  .looseObject({
    /** Of all sessions: the session's id, `~`, and the id of the request. */
    globalId: z.string(),
    id: z.string(),
    sessionId: z.string(),
    kind: QUESTION_FIELDS.kind,
    askedAt: z.number(),
  })
  .meta({ id: 'PermissionRequest' });
