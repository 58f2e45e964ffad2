import { z } from 'zod';
import { QUESTION_FIELDS } from './permission-schemas.ts';

const Outcome = z.enum(['completed', 'failed', 'interrupted', 'cancelled', 'lost']);
const Status = z.enum(['idle', 'running', 'requires_action']);
const Cause = z.strictObject({ code: z.string(), message: z.string(), ending: z.string() });
const Parked = z.strictObject({ reason: z.string(), until: z.number().nullable(), note: z.string() });

const Restarts = z.strictObject({
  count: z.int(),
  inWindow: z.int(),
  cause: Cause.exactOptional(),
  nextAt: z.number().exactOptional(),
});

const Prompt = z.strictObject({
  id: z.string(),
  state: z.enum(['accepted', 'delivered', 'started', 'in-doubt', 'deferred', 'ended']),
  onBusy: z.string(),
  from: z.string().exactOptional(),
  preview: z.string().exactOptional(),
  outcome: Outcome.exactOptional(),
  acceptedAt: z.number(),
  uuid: z.string().exactOptional(),
  startedAt: z.number().exactOptional(),
  endedAt: z.number().exactOptional(),
});

const Permission = z.strictObject({
  ...QUESTION_FIELDS,
  id: z.string(),
  input: z.unknown(),
  requestedAt: z.number(),
  deadlineAt: z.number().exactOptional(),
  requiresUserInteraction: z.literal(true).exactOptional(),
  defaultToNo: z.literal(true).exactOptional(),
  suppressAlwaysAllowRule: z.literal(true).exactOptional(),
});

const Settled = z.strictObject({
  id: z.string(),
  kind: QUESTION_FIELDS.kind,
  toolName: QUESTION_FIELDS.toolName,
  toolUseId: QUESTION_FIELDS.toolUseId,
  requestedAt: z.number().exactOptional(),
  settledAt: z.number(),
  outcome: z.string(),
  by: z.string(),
  who: z.string().exactOptional(),
  rule: z.strictObject({ tool: z.string(), behavior: z.string(), source: z.string() }).exactOptional(),
});

/** What a client knows of a session at `seq`: the type `SessionView`. */
export const SessionAnswer = z
  .strictObject({
    id: z.string(),
    key: z.string().exactOptional(),
    groups: z.array(z.string()),
    seq: z.int(),
    epoch: z.int(),
    state: z.string(),
    position: z.string(),
    status: Status,
    since: z.number(),
    createdAt: z.number(),
    updatedAt: z.number(),
    pid: z.int().exactOptional(),
    conversationId: z.string().exactOptional(),
    model: z.string().exactOptional(),
    permissionMode: z.string().exactOptional(),
    cliVersion: z.string().exactOptional(),
    settings: z.record(z.string(), z.unknown()),
    restarts: Restarts,
    prompts: z.array(Prompt),
    turn: z.strictObject({ since: z.number(), promptIds: z.array(z.string()) }).exactOptional(),
    activity: z.string().exactOptional(),
    tasks: z.array(z.strictObject({ id: z.string(), kind: z.string() })),
    permissions: z.array(Permission),
    settled: z.array(Settled),
    usage: z.strictObject({ costUsd: z.number().exactOptional(), turns: z.int() }),
    servers: z.record(z.string(), z.strictObject({ status: z.string(), reason: z.string().exactOptional() })),
    parked: Parked.exactOptional(),
    quarantined: z.strictObject({ cause: Cause, at: z.number() }).exactOptional(),
    ended: z
      .strictObject({
        at: z.number(),
        cause: Cause,
        exitCode: z.number().nullable().exactOptional(),
        signal: z.string().nullable().exactOptional(),
        wasForced: z.literal(true).exactOptional(),
      })
      .exactOptional(),
    watchdog: z
      .strictObject({ clock: z.string(), since: z.number(), interruptAt: z.number().exactOptional() })
      .exactOptional(),
    diagnostics: z.int(),
    volatileSince: z.number().exactOptional(),
    transitions: z.array(
      z.strictObject({
        from: z.string().exactOptional(),
        to: z.string(),
        at: z.number(),
        seq: z.int(),
        epoch: z.int(),
      }),
    ),
  })
  .meta({ id: 'SessionView' });

/** One line of the fleet: the type `SessionSummary`. */
export const SummaryAnswer = z
  .strictObject({
    id: z.string(),
    key: z.string().exactOptional(),
    groups: z.array(z.string()),
    seq: z.int(),
    epoch: z.int(),
    state: z.string(),
    position: z.string(),
    status: Status,
    since: z.number(),
    createdAt: z.number(),
    updatedAt: z.number(),
    conversationId: z.string().exactOptional(),
    model: z.string().exactOptional(),
    permissionMode: z.string().exactOptional(),
    openPrompts: z.int(),
    queuedPrompts: z.int(),
    promptsInDoubt: z.int(),
    openPermissions: z.int(),
    restarts: z.int(),
    turns: z.int(),
    costUsd: z.number().exactOptional(),
    parked: Parked.exactOptional(),
    quarantined: z.strictObject({ code: z.string(), message: z.string() }).exactOptional(),
    ended: z.strictObject({ at: z.number(), code: z.string(), message: z.string() }).exactOptional(),
    silentSince: z.number().exactOptional(),
  })
  .meta({ id: 'SessionSummary' });

export const SessionPage = z.strictObject({
  sessions: z.array(SummaryAnswer),
  /** Where the next page begins; not there on the last one. */
  next: z.string().optional(),
});

/** As JSON the library shows it. */
export const Facts = z.looseObject({});

/** One event of a log. */
export const EventAnswer = z
  .looseObject({ type: z.string(), seq: z.int().optional(), epoch: z.int().optional(), at: z.number().optional() })
  .meta({ id: 'SessionEvent' });
