import { z } from 'zod';
import { QUESTION_FIELDS } from '../api/permission-schemas.ts';
import { SummaryAnswer } from '../api/session-answers.ts';

const Time = z.number().meta({ description: 'epoch milliseconds' });
const Reason = z.strictObject({ code: z.string(), message: z.string() });
/** Everything else it says depends on its type. */
const typed = (...types: [string, ...string[]]) => z.looseObject({ type: z.enum(types) });

/** An event of a log: the facts of its type stand beside these. */
const LogEvent = z.looseObject({
  seq: z.int(),
  epoch: z.int(),
  at: Time,
  type: z.string().regex(/^(?!message$)/),
});

/** A line of the CLI as it was; `text` where it is no JSON. */
const MessageEvent = z.strictObject({
  seq: z.int(),
  epoch: z.int(),
  at: Time,
  type: z.literal('message'),
  message: z.looseObject({ type: z.string() }).exactOptional(),
  text: z.string().exactOptional(),
});

const Truncated = z.strictObject({ type: z.literal('log.truncated'), from: z.int(), firstSeq: z.int() });
const Lagged = z.looseObject({ type: z.literal('subscriber.lagged'), missed: z.int() });
const Event = z.union([MessageEvent, LogEvent, Truncated, Lagged]);

const Question = z.strictObject({
  ...QUESTION_FIELDS,
  globalId: z.string(),
  sessionId: z.string(),
  id: z.string(),
  askedAt: Time,
  input: z.unknown().optional(),
  deadlineAt: Time.exactOptional(),
  mcpServer: z.looseObject({}).exactOptional(),
  matchedAskRule: z.looseObject({}).exactOptional(),
  requiresUserInteraction: z.boolean().exactOptional(),
  defaultToNo: z.boolean().exactOptional(),
  suppressAlwaysAllowRule: z.boolean().exactOptional(),
  elicitation: z.looseObject({ serverName: z.string(), message: z.string() }).exactOptional(),
  dialog: z.looseObject({ dialogKind: z.string() }).exactOptional(),
  settlement: z.looseObject({ outcome: z.string(), by: z.string() }).exactOptional(),
});

const Prompting = z.union([
  z.strictObject({ type: z.literal('prompt.sent'), sessionId: z.string(), promptId: z.string() }),
  MessageEvent,
  z.strictObject({
    type: z.literal('prompt.result'),
    promptId: z.string(),
    outcome: z.enum(['completed', 'failed', 'interrupted', 'cancelled', 'lost']),
    text: z.string().exactOptional(),
    usage: z.unknown().optional(),
    models: z.unknown().optional(),
    costUsd: z.number().exactOptional(),
    durationMs: z.number().exactOptional(),
    promptIds: z.array(z.string()).exactOptional(),
    permissionDenials: z.unknown().optional(),
    conversationId: z.string().exactOptional(),
    structuredOutput: z.unknown().optional(),
    error: z.looseObject(Reason.shape).exactOptional(),
  }),
]);

const Failure = z.strictObject({ ...Reason.shape, ending: z.string() });

const Explained = z.strictObject({
  id: z.string(),
  state: z.string(),
  status: z.enum(['idle', 'running', 'requires_action']),
  since: Time,
  because: z.string(),
  waitingFor: z.array(z.string()),
  incarnation: z.int(),
  pid: z.int().exactOptional(),
  openPermissions: z.array(
    z.strictObject({
      id: z.string(),
      kind: QUESTION_FIELDS.kind,
      toolName: z.string().exactOptional(),
      ageMs: z.number(),
    }),
  ),
  promptsInDoubt: z.array(z.strictObject({ id: z.string(), ...Reason.shape })),
  queuedPrompts: z.int(),
  outstandingPrompts: z.int(),
  backgroundTasks: z.int(),
  degradedServers: z.array(z.strictObject({ name: z.string(), reason: z.string() })),
  deadlines: z.array(z.looseObject({ what: z.string(), at: Time, next: z.string() })),
  parked: z.looseObject({ reason: z.string(), until: Time.nullable(), note: z.string() }).exactOptional(),
  store: z.looseObject({ since: Time, events: z.int(), heldLines: z.int() }).exactOptional(),
  lastFailure: Failure.exactOptional(),
  advice: z.string().exactOptional(),
  failures: z.array(z.strictObject({ ...Failure.shape, at: Time, incarnation: z.int() })),
});

const Phase = z.strictObject({
  state: z.string(),
  phase: z.string(),
  since: Time,
  deadlineAt: Time.exactOptional(),
  isHandover: z.boolean(),
  because: z.string(),
  awaited: z.array(z.strictObject({ id: z.string(), state: z.string(), reason: z.string() })),
  remaining: z.strictObject({ sessions: z.int(), people: z.int(), turns: z.int(), queued: z.int() }),
  sessions: z.int(),
  groups: z.int(),
  store: z.looseObject({ state: z.string(), since: Time, sessions: z.int() }).exactOptional(),
});

const Chart = z.strictObject({
  id: z.string(),
  key: z.string(),
  kind: z.enum(['atomic', 'compound', 'parallel', 'final', 'history']),
  initial: z.string().exactOptional(),
  get states() {
    return z.array(Chart);
  },
  transitions: z.array(
    z.strictObject({ event: z.string(), guard: z.string().exactOptional(), targets: z.array(z.string()) }),
  ),
});

const CliLine = z.looseObject({ type: z.string() });
const Counts = { events: z.int(), records: z.int() };

/**
 * What a line of `--json` is, by command. A field that is not here is in no line of this release; a reader ignores it all the same, because
 * fields are added.
 */
export const JSON_LINES = {
  run: CliLine,
  record: CliLine,
  replay: z.looseObject({}),
  serve: z.strictObject({
    url: z.string(),
    loginUrl: z.string(),
    sessions: z.int(),
    pid: z.int(),
    tcp: z.looseObject({ host: z.string(), port: z.int() }).exactOptional(),
  }),
  ps: z.strictObject(SummaryAnswer.shape),
  'ps --watch': z.union([
    typed('snapshot', 'session.changed', 'session.removed', 'permission.requested', 'permission.settled'),
    typed('supervisor.phase-changed'),
    z.looseObject({ type: z.string().startsWith('other:') }),
  ]),
  'ps --store': z.strictObject({
    sessionId: z.string(),
    state: z.string(),
    lastSeq: z.int(),
    firstSeq: z.int(),
    epoch: z.int(),
    conversationIds: z.array(z.string()),
    endedAt: Time.exactOptional(),
  }),
  attach: Event,
  logs: Event,
  history: z.union([LogEvent, Truncated]),
  prompt: Prompting,
  steer: Prompting,
  inbox: Question,
  approve: Question,
  deny: Question,
  explain: z.union([Explained, Phase]),
  interrupt: z.looseObject({
    type: z.literal('session.interrupted'),
    sessionId: z.string(),
    cancelled: z.array(z.unknown()).exactOptional(),
    stillQueued: z.array(z.unknown()).exactOptional(),
  }),
  stop: z.strictObject({
    type: z.literal('session.stopped'),
    sessionId: z.string(),
    ended: z.looseObject({ reason: z.string() }).exactOptional(),
  }),
  drain: Phase,
  import: z.strictObject({ sessionId: z.string(), ...Counts }),
  'store check': z.strictObject({ sessions: z.int(), ...Counts, problems: z.array(z.string()) }),
  'store salvage': z.strictObject({ sessions: z.int(), ...Counts, lostEvents: z.int() }),
  doctor: z.strictObject({
    check: z.string(),
    status: z.enum(['ok', 'warning', 'problem']),
    message: z.string(),
    remedy: z.string().exactOptional(),
  }),
  diagram: Chart,
  drift: z.looseObject({}),
} as const satisfies Readonly<Record<string, z.ZodType>>;

/** The same as JSON Schema (2020-12): a definition for each command. It forbids no other fields. */
export function jsonLinesDocument(): string {
  const definitions = Object.entries(JSON_LINES).map(([command, schema]) => {
    const { $schema: _, ...definition } = z.toJSONSchema(schema, {
      reused: 'inline',
      override: ({ jsonSchema }) => {
        if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      },
    });
    return [command, within(command, definition)] as const;
  });
  const document = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Lines of troupe --json, by command',
    $defs: Object.fromEntries(definitions),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** What a schema calls itself where it stands alone, it is not as a part of this document. */
function within(command: string, definition: object): unknown {
  return JSON.parse(JSON.stringify(definition), (name, value) =>
    name === '$ref' && value === '#' ? `#/$defs/${command}` : value,
  );
}
