import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Settlement } from '../../machines/permission/permission.events.ts';
import type { Json, PermissionRecord } from '../store/store-record.ts';
import { canonicalJson } from './canonical-json.ts';
import type { PermissionRequest } from './permission-request.ts';
import { callKey } from './rule-book.ts';

/** A question of the CLI as the desk has it, open or settled. */
export interface KeptQuestion {
  readonly request: PermissionRequest;
  /** By it a question is known when it is asked again. */
  readonly digest: string;
  /** When nobody's answer is one, in epoch milliseconds; null for never. */
  readonly expiresAt: number | null;
  /** When it was settled. */
  readonly settledAt?: number;
  /** It was decided, and no process has heard of it yet: the first that asks the same is told. */
  readonly isUnheard: boolean;
}

/** Of what is asked, not of who asks: a process that goes on asks the same question under other ids. */
export function questionDigest(request: PermissionRequest): string {
  return createHash('sha256').update(questionKey(request)).digest('hex');
}

function questionKey(request: PermissionRequest): string {
  switch (request.kind) {
    case 'tool':
      return canonicalJson(['tool', request.toolName, callKey(request.toolName, request.input)]);
    case 'elicitation': {
      const { elicitationId: _elicitationId, ...asked } = request.elicitation;
      return canonicalJson(['elicitation', asked]);
    }
    case 'dialog': {
      const { toolUseID: _toolUseId, ...shown } = request.dialog;
      return canonicalJson(['dialog', shown]);
    }
  }
}

/** The question as a store keeps it. */
export function permissionRecordOf({
  request,
  digest,
  expiresAt,
  settledAt,
  isUnheard,
}: KeptQuestion): PermissionRecord {
  const { settlement, ...question } = request;
  const decision =
    settlement === undefined
      ? {}
      : {
          decision: { outcome: settlement.outcome, by: settlement.by, at: settledAt ?? request.askedAt },
          settlement: jsonOf(settlement),
        };
  return {
    kind: 'permission',
    id: request.id,
    about: request.kind,
    state: settlement === undefined ? 'open' : 'settled',
    ...(request.toolName === undefined ? {} : { toolName: request.toolName }),
    inputDigest: digest,
    requestedAt: request.askedAt,
    ...(expiresAt === null ? {} : { expiresAt }),
    ...decision,
    ...(isUnheard ? { isUnheard: true as const } : {}),
    question: jsonOf(question),
  };
}

const Question = z.looseObject({
  kind: z.enum(['tool', 'elicitation', 'dialog']),
  id: z.string(),
  askedAt: z.number(),
});
const Tool = z.looseObject({
  toolName: z.string(),
  input: z.record(z.string(), z.unknown()),
  suggestions: z.array(z.looseObject({ type: z.string() })),
});
const About = {
  tool: Tool,
  elicitation: z.looseObject({ elicitation: z.looseObject({ serverName: z.string(), message: z.string() }) }),
  dialog: z.looseObject({
    dialog: z.looseObject({ dialogKind: z.string(), payload: z.record(z.string(), z.unknown()) }),
  }),
};
const Settled = z.looseObject({ outcome: z.string(), by: z.string() });

/** Reads it again; undefined for what this release would not have written. */
export function keptQuestionOf(record: PermissionRecord): KeptQuestion | undefined {
  const { question, inputDigest: digest, expiresAt = null, settlement, decision, state, isUnheard = false } = record;
  const parsed = Question.safeParse(question);
  if (!parsed.success || !About[parsed.data.kind].safeParse(question).success) return undefined;
  const isSettled = state === 'settled';
  if (isSettled && !Settled.safeParse(settlement).success) return undefined;
  // What decides anything was checked; the rest is shown to people, and each of it may be missing.
  const request = {
    ...BLANK,
    ...parsed.data,
    settlement: isSettled ? (settlement as Settlement | undefined) : undefined,
  } as unknown as PermissionRequest;
  return { request, digest, expiresAt, isUnheard, ...(decision === undefined ? {} : { settledAt: decision.at }) };
}

/** JSON has no word for undefined, and readers of a request count on every field. */
const BLANK = {
  toolName: undefined,
  input: undefined,
  toolUseId: undefined,
  agentId: undefined,
  title: undefined,
  displayName: undefined,
  description: undefined,
};

function jsonOf(value: unknown): Json {
  const copy: Json = JSON.parse(JSON.stringify(value) ?? 'null');
  return copy;
}
