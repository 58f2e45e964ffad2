import { z } from 'zod';
import type { PermissionDecision } from '../../machines/permission/permission.events.ts';
import { isRecord } from '../wire/fields.ts';
import { answerFault, jsonObjectOf, malformedAnswer } from './malformed-answer.ts';
import { type ElicitationPermissionRequest, textOf } from './permission-request.ts';

/** What an MCP server wants to know from the user; fields are named as in the official SDK. */
export interface ElicitationRequest {
  readonly serverName: string;
  readonly message: string;
  /** `form`: values for `requestedSchema`. `url`: the user has to visit `url`. */
  readonly mode?: string;
  readonly url?: string;
  /** By this name the message `elicitation_complete` says that the visit is over. */
  readonly elicitationId?: string;
  /** A JSON schema of flat fields. */
  readonly requestedSchema?: Readonly<Record<string, unknown>>;
  readonly title?: string;
  readonly displayName?: string;
  readonly description?: string;
}

/** `accept` gives the values, `decline` refuses them, `cancel` says nothing either way. */
export interface ElicitationResult {
  readonly action: 'accept' | 'decline' | 'cancel';
  /** One value for each field of the schema; counts with `accept` only. */
  readonly content?: Readonly<Record<string, unknown>> | undefined;
}

/** Answers elicitations. `null`: somebody else does, through `session.permissions.answer`. */
export type OnElicitation = (
  request: ElicitationRequest,
  options: { readonly signal: AbortSignal; readonly requestId: string },
) => Promise<ElicitationResult | null> | ElicitationResult | null;

const Result = z.looseObject({
  action: z.enum(['accept', 'decline', 'cancel']),
  content: z.record(z.string(), z.unknown()).nullish(),
});

/** Reads an `elicitation` request; tolerates every missing or malformed field (WIRE §19). */
export function readElicitation(
  requestId: string,
  wire: Readonly<Record<string, unknown>>,
  askedAt: number,
): ElicitationPermissionRequest {
  const schema = wire['requested_schema'];
  const title = textOf(wire['title']);
  const displayName = textOf(wire['display_name']);
  const description = textOf(wire['description']);
  const elicitation = {
    serverName: textOf(wire['mcp_server_name']) ?? '',
    message: textOf(wire['message']) ?? '',
    ...present('mode', textOf(wire['mode'])),
    ...present('url', textOf(wire['url'])),
    ...present('elicitationId', textOf(wire['elicitation_id'])),
    ...present('requestedSchema', isRecord(schema) ? schema : undefined),
    ...present('title', title),
    ...present('displayName', displayName),
    ...present('description', description),
  };
  const nothing = { toolName: undefined, input: undefined, toolUseId: undefined, agentId: undefined };
  const facts = { id: requestId, title, displayName, description, askedAt, settlement: undefined };
  return { kind: 'elicitation', elicitation, ...nothing, ...facts };
}

/** Checks an answer against what was asked for. Throws INVALID_ANSWER with `details.field`. */
export function parseElicitationResult(answer: unknown, request: ElicitationRequest): PermissionDecision {
  const parsed = Result.safeParse(answer);
  if (!parsed.success) throw answerFault(parsed.error, 'action');
  const { action, content: given } = parsed.data;
  if (action === 'decline') return { behavior: 'decline' };
  if (action === 'cancel') return { behavior: 'dismiss' };
  const content = given === undefined || given === null ? undefined : jsonObjectOf(given);
  if (given && content === undefined) throw malformedAnswer('content', 'must be data that JSON can hold');
  const { requestedSchema: schema } = request;
  if (schema !== undefined) assertFits(schema, content ?? {});
  return { behavior: 'accept', ...(content === undefined ? {} : { content }) };
}

/** The decision as the CLI wants it. */
export function wireElicitation({ behavior, content }: PermissionDecision): Record<string, unknown> {
  switch (behavior) {
    case 'accept':
      return { action: 'accept', content: content ?? {} };
    case 'decline':
      return { action: 'decline' };
    default:
      return { action: 'cancel' };
  }
}

/** As much of JSON schema as MCP allows here: flat fields of simple types, some of them required. */
function assertFits(schema: Readonly<Record<string, unknown>>, content: Readonly<Record<string, unknown>>): void {
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  for (const name of Array.isArray(schema['required']) ? schema['required'] : []) {
    if (typeof name === 'string' && !Object.hasOwn(content, name))
      throw malformedAnswer(`content.${name}`, 'is required');
  }
  for (const [name, value] of Object.entries(content)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (property === undefined && schema['additionalProperties'] === false) {
      throw malformedAnswer(`content.${name}`, 'is not asked for');
    }
    const fault = isRecord(property) ? valueFault(property, value) : undefined;
    if (fault !== undefined) throw malformedAnswer(`content.${name}`, fault);
  }
}

function valueFault(property: Readonly<Record<string, unknown>>, value: unknown): string | undefined {
  const { type, items } = property;
  // A type is a word of the server's, and may be the name of something that every object has.
  const isOfType = Object.hasOwn(TYPE_CHECKS, String(type)) ? TYPE_CHECKS[String(type)] : undefined;
  if (isOfType !== undefined && !isOfType(value)) return `must be of the type "${String(type)}"`;
  const offered = choicesOf(property);
  if (offered !== undefined && !offered.includes(value)) return `must be one of ${listed(offered)}`;
  if (!Array.isArray(value)) return boundFault(property, value);
  const each = isRecord(items) ? choicesOf(items) : undefined;
  if (each !== undefined && !value.every((item) => each.includes(item))) return `must hold only ${listed(each)}`;
  return boundFault(property, value);
}

/** A list of values, or one of values with titles. */
function choicesOf({ enum: values, oneOf, anyOf }: Readonly<Record<string, unknown>>): unknown[] | undefined {
  if (Array.isArray(values)) return values;
  const titled = oneOf ?? anyOf;
  if (!Array.isArray(titled) || !titled.every((choice) => isRecord(choice) && 'const' in choice)) return undefined;
  return titled.map((choice: Readonly<Record<string, unknown>>) => choice['const']);
}

function listed(choices: readonly unknown[]): string {
  return choices.map((choice) => JSON.stringify(choice)).join(', ');
}

function boundFault(property: Readonly<Record<string, unknown>>, value: unknown): string | undefined {
  const [size, least, most] = sizeOf(value);
  const [minimum, maximum] = [property[least], property[most]];
  if (typeof minimum === 'number' && size < minimum) return `has a ${least} of ${minimum}`;
  if (typeof maximum === 'number' && size > maximum) return `has a ${most} of ${maximum}`;
  return undefined;
}

/** What is measured of a value, and the names of its bounds. */
function sizeOf(value: unknown): [size: number, least: string, most: string] {
  if (typeof value === 'string') return [[...value].length, 'minLength', 'maxLength'];
  if (Array.isArray(value)) return [value.length, 'minItems', 'maxItems'];
  return [typeof value === 'number' ? value : Number.NaN, 'minimum', 'maximum'];
}

const TYPE_CHECKS: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  array: (value) => Array.isArray(value),
};

function present<Name extends string, Value>(name: Name, value: Value | undefined): { [N in Name]?: Value } {
  return value === undefined ? {} : ({ [name]: value } as { [N in Name]: Value });
}
