import { z } from 'zod';
import { type Agrees, FilledText, FlagValue, objectWith } from './field-schemas.ts';
import type { McpReconnectOptions, McpServerOptions, McpServersOption, McpToolPolicy } from './mcp-server-options.ts';
import { invalidOptions, issuesOf } from './option-issue.ts';
import { readPlainValue } from './plain-value.ts';

const Switch = z.boolean().exactOptional();

/** The CLI ignores a shorter one without a word, and an option that would do nothing is refused. */
const CallTimeout = z
  .custom<number>(
    (value) => typeof value === 'number' && value >= 1_000 && Number.isSafeInteger(value),
    'must be a whole number of milliseconds from 1000',
  )
  .exactOptional();

const Policy = z.strictObject({
  name: FilledText,
  permission_policy: z.enum(['always_allow', 'always_ask', 'always_deny']).exactOptional(),
  org_max_permission: z.enum(['allow', 'ask', 'blocked']).exactOptional(),
});
const Policies = z.array(Policy).readonly().exactOptional();

const Wait = z.number().min(1, 'must be at least 1');
const Reconnect = z
  .strictObject({
    attempts: z.int('must be a whole number').min(0, 'must be at least 0').exactOptional(),
    minMs: Wait.exactOptional(),
    maxMs: Wait.exactOptional(),
  })
  .refine(({ minMs = 0, maxMs = Number.POSITIVE_INFINITY }) => minMs <= maxMs, 'minMs must not be above maxMs');

const Headers = z
  .record(
    FilledText,
    z.string().refine((value) => !/[\r\n]/.test(value), 'must not contain line breaks'),
  )
  .exactOptional();

const EXTERNAL = {
  timeout: CallTimeout,
  alwaysLoad: Switch,
  required: Switch,
  reconnect: z.union([z.literal(false), Reconnect], 'expected false or { attempts?, minMs?, maxMs? }').exactOptional(),
};

const McpServer = z.discriminatedUnion(
  'type',
  [
    z.strictObject({
      type: z.literal('sdk'),
      name: FilledText,
      instance: objectWith<object>('an McpServer', 'connect', 'close'),
      timeout: CallTimeout,
      tools: z
        .array(Policy)
        .readonly()
        .refine(
          (policies) => policies.every(isObeyedInProcess),
          'always_allow and org_max_permission do nothing on in-process servers: use allowedTools',
        )
        .exactOptional(),
      required: Switch,
    }),
    z.strictObject({
      type: z.literal('stdio').exactOptional(),
      command: FilledText,
      args: z.array(z.string()).readonly().exactOptional(),
      env: z.record(FilledText, z.string()).exactOptional(),
      ...EXTERNAL,
    }),
    z.strictObject({
      type: z.literal(['sse', 'http']),
      url: FilledText,
      headers: Headers,
      tools: Policies,
      ...EXTERNAL,
    }),
  ],
  "expected a server with type 'sdk', 'stdio' (or none), 'sse' or 'http'",
);

/** The name of an in-process server becomes part of its tools' names and of every message to it. */
export const McpServersSchema = z.record(FlagValue, McpServer);

true satisfies Agrees<z.infer<typeof McpServer>, McpServerOptions>;
true satisfies Agrees<z.infer<typeof Policy>, McpToolPolicy>;
true satisfies Agrees<z.infer<typeof Reconnect>, McpReconnectOptions>;

const SERVER_FIELDS = 'type name instance timeout tools required command args env url headers alwaysLoad reconnect';

/**
 * Checks servers that are given while a session runs, as `parseSessionOptions` checks those given at its start. Throws
 * INVALID_OPTIONS.
 */
export function parseMcpServers(input: unknown): McpServersOption {
  const plain = readPlainValue({ servers: input });
  if (plain.issues.length > 0) throw invalidOptions(plain.issues);
  const parsed = z.strictObject({ servers: McpServersSchema }).safeParse(plain.value);
  if (!parsed.success) throw invalidOptions(issuesOf(parsed.error, knownFields(input)));
  const servers: McpServersOption = parsed.data.servers;
  const issues = Object.entries(servers).flatMap(([name, server]) =>
    isNamedWell(name, server) ? [] : [{ field: `servers.${name}`, reason: IN_PROCESS_NAME }],
  );
  if (issues.length > 0) throw invalidOptions(issues);
  return servers;
}

export const IN_PROCESS_NAME = 'must be named with A-Z a-z 0-9 _ - only, because it runs in this process';

export function isNamedWell(name: string, server: McpServerOptions): boolean {
  return server.type !== 'sdk' || /^[A-Za-z0-9_-]+$/.test(name);
}

/** For "did you mean", under each name that was given. */
function knownFields(input: unknown): Record<string, readonly string[]> {
  const names = typeof input === 'object' && input !== null ? Object.keys(input) : [];
  return Object.fromEntries(names.map((name) => [`servers.${name}`, SERVER_FIELDS.split(' ')]));
}

function isObeyedInProcess({ permission_policy: policy, org_max_permission: ceiling }: McpToolPolicy): boolean {
  return policy !== 'always_allow' && ceiling === undefined;
}
