import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { type Clock, systemClock } from '../clock.ts';
import { invalidOptions, issuesOf } from '../launch/option-issue.ts';
import { SESSION_OPTION_NAMES } from '../launch/session-options-schema.ts';
import type { Logger } from '../launch/supervisor-options.ts';
import type { Supervisor } from '../supervision/supervisor.ts';
import type { Scope, Token } from './access.ts';

/** Bounds of the server; whole numbers above 0. Defaults: `DEFAULT_SERVER_LIMITS`. */
export interface ServerLimits {
  /** Of one request. */
  readonly maxBodyBytes?: number;
  readonly maxHeaderBytes?: number;
  /** At the same time, streams among them. */
  readonly maxConnections?: number;
  /** Event streams and WebSockets at the same time. */
  readonly maxStreams?: number;
  /** What waits for one client that reads too slowly; beyond it that client is told what it missed. */
  readonly maxSubscriberBufferBytes?: number;
  /** Levels of lists and objects in a body. */
  readonly maxBodyDepth?: number;
  /** Refused logins and tokens from one address in a minute; those after it are answered with 429. */
  readonly maxRefusalsPerMinute?: number;
  /** Idempotency-Keys of session starts that are remembered. */
  readonly maxIdempotencyKeys?: number;
}

/** Deadlines in milliseconds. Defaults: `DEFAULT_SERVER_TIMEOUTS`. */
export interface ServerTimeouts {
  /** Until a request has arrived whole. */
  readonly requestMs?: number;
  /** Between two heartbeats of an event stream. */
  readonly heartbeatMs?: number;
  /** How long `close` lets requests and streams end before it cuts them. */
  readonly closeMs?: number;
}

/** With what a server is created. */
export interface ServerOptions {
  /** Whose sessions it shows. The server neither drains nor shuts it down. */
  readonly supervisor: Supervisor;
  /** Default `127.0.0.1`. Any other than a loopback address needs `behindTlsProxy`. */
  readonly host?: string;
  /** Default 0: any that is free. */
  readonly port?: number;
  /** Where front ends speak JSON-RPC over TCP, on 127.0.0.1 only; 0: any that is free. Default: nowhere. */
  readonly tcpPort?: number;
  /** Who may ask. Default: one, `owner`, who may do everything, with a token that is made up, or that of `tokenFile`. */
  readonly tokens?: readonly Token[];
  /** A file of tokens, made with mode 0600 where there is none; one that others may read is refused with TOKEN_FILE_UNSAFE. */
  readonly tokenFile?: string;
  /** Folders in which sessions may work. Default: the working directory of this process. */
  readonly roots?: readonly string[];
  /** Options of sessions that may be given over HTTP although they are closed by default, such as `mcpServers` or `env`. */
  readonly openOptions?: readonly string[];
  /** Control requests that may be sent over HTTP beside those that only look (`OPEN_CONTROLS`). */
  readonly openControls?: readonly string[];
  /** Host names it answers for beside those of the loopback: what the proxy in front is called. */
  readonly allowedHosts?: readonly string[];
  /** Pages of other origins that may use it, such as `https://console.example`. Default: none. */
  readonly allowedOrigins?: readonly string[];
  /** True: something in front speaks TLS, so the address may be other than loopback, and cookies are `Secure`. */
  readonly behindTlsProxy?: boolean;
  /** The folder with the built dashboard, or false for none. Default: the one of this package, where it was built. */
  readonly dashboard?: string | false;
  readonly limits?: ServerLimits;
  readonly timeouts?: ServerTimeouts;
  readonly logger?: Logger;
  /** Time of logins and idempotency. Default: the real one. */
  readonly clock?: Clock;
}

/** With their defaults. */
export interface ServerSettings {
  readonly host: string;
  readonly port: number;
  readonly tcpPort: number | undefined;
  readonly tokens: readonly Token[] | undefined;
  readonly tokenFile: string | undefined;
  readonly roots: readonly string[];
  readonly openOptions: readonly string[];
  readonly openControls: readonly string[];
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly behindTlsProxy: boolean;
  readonly dashboard: string | false;
  readonly limits: Required<ServerLimits>;
  readonly timeouts: Required<ServerTimeouts>;
  readonly logger: Logger | undefined;
  readonly clock: Clock;
}

export const DEFAULT_SERVER_LIMITS: Required<ServerLimits> = {
  maxBodyBytes: 2 ** 20,
  maxHeaderBytes: 16 * 2 ** 10,
  maxConnections: 1_000,
  maxStreams: 500,
  maxSubscriberBufferBytes: 4 * 2 ** 20,
  maxBodyDepth: 64,
  maxRefusalsPerMinute: 30,
  maxIdempotencyKeys: 1_000,
};

export const DEFAULT_SERVER_TIMEOUTS: Required<ServerTimeouts> = {
  requestMs: 30_000,
  heartbeatMs: 15_000,
  closeMs: 5_000,
};

/** Beside src/ of a checkout that was built, and beside dist/src/ of the package. */
const BUILT_DASHBOARD = ['../../dashboard', '../../dist/dashboard'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/;

const Filled = z.string().min(1, 'must not be empty');
const Limit = z.int().min(1).exactOptional();
const Duration = z.number().positive().exactOptional();

/** What the log says of deciders that are no person: a token must not pass for one of them. */
const RESERVED_NAMES = ['api', 'callback', 'policy', 'deadline', 'host', 'cli'];

const TokenShape = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9 ._@-]{0,63}$/, 'must be 1 to 64 of A-Z a-z 0-9 blank . _ @ -')
    .refine((name) => !RESERVED_NAMES.includes(name), 'stands for somebody else in the log'),
  token: z.string().regex(/^[\x21-\x7e]{32,500}$/, 'must be 32 to 500 printable ASCII characters without blanks'),
  scopes: z.array(z.enum(['read', 'answer', 'control'])).min(1, 'must name a scope'),
});

const Shape = {
  supervisor: z.custom<Supervisor>((value) => typeof value === 'object' && value !== null, 'must be a supervisor'),
  host: Filled.exactOptional(),
  port: z.int().min(0).max(65_535).exactOptional(),
  tcpPort: z.int().min(0).max(65_535).exactOptional(),
  tokens: z.array(TokenShape).min(1, 'must hold a token').max(1_000).exactOptional(),
  tokenFile: Filled.exactOptional(),
  roots: z.array(Filled).min(1, 'must name a folder').max(1_000).exactOptional(),
  openOptions: z
    .array(z.string().refine((name) => SESSION_OPTION_NAMES[''].includes(name), 'is no option of a session'))
    .exactOptional(),
  openControls: z.array(Filled).exactOptional(),
  allowedHosts: z
    .array(z.string().regex(/^[A-Za-z0-9.[\]:-]+$/, 'must be a host name'))
    .max(1_000)
    .exactOptional(),
  allowedOrigins: z
    .array(z.string().regex(/^https?:\/\/[A-Za-z0-9.[\]:-]+$/, 'must be an origin, such as https://console.example'))
    .max(1_000)
    .exactOptional(),
  behindTlsProxy: z.boolean().exactOptional(),
  dashboard: z.union([Filled, z.literal(false)]).exactOptional(),
  limits: z
    .strictObject({
      maxBodyBytes: Limit,
      maxHeaderBytes: Limit,
      maxConnections: Limit,
      maxStreams: Limit,
      maxSubscriberBufferBytes: Limit,
      maxBodyDepth: Limit,
      maxRefusalsPerMinute: Limit,
      maxIdempotencyKeys: Limit,
    })
    .exactOptional(),
  timeouts: z.strictObject({ requestMs: Duration, heartbeatMs: Duration, closeMs: Duration }).exactOptional(),
  logger: z.custom<Logger>((value) => typeof value === 'object' && value !== null, 'must be a logger').exactOptional(),
  clock: z.custom<Clock>((value) => typeof value === 'object' && value !== null, 'must be a clock').exactOptional(),
};

const OptionsSchema = z.strictObject(Shape);

const NAMES = {
  '': Object.keys(Shape),
  limits: Object.keys(DEFAULT_SERVER_LIMITS),
  timeouts: Object.keys(DEFAULT_SERVER_TIMEOUTS),
};

/** Checks the options at the edge and adds the defaults. Throws INVALID_OPTIONS with `details` `{ field, reason, issues }`. */
export function parseServerOptions(input: unknown): ServerSettings {
  const parsed = OptionsSchema.safeParse(input);
  if (!parsed.success) throw invalidOptions(issuesOf(parsed.error, NAMES));
  const options = parsed.data;
  const host = options.host ?? '127.0.0.1';
  if (!LOOPBACK.test(host) && options.behindTlsProxy !== true) {
    const reason =
      'is reached from other machines: that needs something in front that speaks TLS, and behindTlsProxy: true';
    throw invalidOptions([{ field: 'host', reason }]);
  }
  const names = (options.tokens ?? []).map(({ name }) => name);
  if (new Set(names).size < names.length) throw invalidOptions([{ field: 'tokens', reason: 'two have the same name' }]);
  if (options.tokens !== undefined && options.tokenFile !== undefined)
    throw invalidOptions([{ field: 'tokenFile', reason: 'must not be given beside tokens' }]);
  return {
    host,
    port: options.port ?? 0,
    tcpPort: options.tcpPort,
    tokens: options.tokens satisfies readonly { scopes: Scope[] }[] | undefined,
    tokenFile: options.tokenFile,
    roots: (options.roots ?? ['.']).map((root) => resolve(root)),
    openOptions: options.openOptions ?? [],
    openControls: options.openControls ?? [],
    allowedHosts: options.allowedHosts ?? [],
    allowedOrigins: options.allowedOrigins ?? [],
    behindTlsProxy: options.behindTlsProxy ?? false,
    dashboard: options.dashboard ?? BUILT_DASHBOARD[0] ?? false,
    limits: { ...DEFAULT_SERVER_LIMITS, ...options.limits },
    timeouts: { ...DEFAULT_SERVER_TIMEOUTS, ...options.timeouts },
    logger: options.logger,
    clock: options.clock ?? systemClock,
  };
}

/** Where the built dashboard may be, seen from here. */
export function dashboardFolders({ dashboard }: ServerSettings): readonly string[] {
  if (dashboard === false) return [];
  return dashboard === BUILT_DASHBOARD[0] ? BUILT_DASHBOARD : [dashboard];
}
