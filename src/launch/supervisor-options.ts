import { z } from 'zod';
import type { Clock } from '../clock.ts';
import { type PermissionsOption, PermissionsShape } from '../permissions/permissions-option.ts';
import type { Durability, Store } from '../store/store.ts';
import type { SpawnerMode } from '../transport/spawner-use.ts';
import type { OpenTransport } from '../transport/transport.ts';
import { type BudgetOptions, BudgetShape } from './budget-options.ts';
import {
  type Agrees,
  BackoffShape,
  callable,
  DialectShape,
  Duration,
  FilledText,
  HostLossShape,
  LimitShape,
  limitShape,
  objectWith,
  PromptLossShape,
  RestartShape,
  TimeoutShape,
} from './field-schemas.ts';
import { invalidOptions, issuesOf } from './option-issue.ts';
import { readPlainValue } from './plain-value.ts';
import { type QuotaOptions, QuotaShape } from './quota-options.ts';
import { RECORD_OPTION_NAMES, type RecordOptions, RecordShape } from './record-options.ts';
import { type RetentionOptions, RetentionShape } from './retention-options.ts';
import { type SecretOptions, SecretShape } from './secret-options.ts';
import type {
  LimitOptions,
  OnPromptLost,
  OnRestart,
  RestartOptions,
  SessionOptions,
  TimeoutOptions,
} from './session-options.ts';

/** Where Troupe's own log lines go; a pino logger fits. */
export interface Logger {
  debug(facts: object, message: string): void;
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

/** Bounds of the whole supervisor, and of each session that does not set its own. Whole numbers above 0, at most `HIGHEST_LIMITS`. */
export interface SupervisorLimitOptions extends LimitOptions {
  /** Sessions at the same time. Default 20. */
  readonly maxSessions?: number;
  /** Sessions that start at the same time. Default 4. */
  readonly maxStarting?: number;
  /** Sessions that are kept, with or without a process. Default 10 000. */
  readonly maxRegistered?: number;
  /** Sessions with the same `key` at the same time; others of it wait in line. Default: no bound of its own. */
  readonly maxSessionsPerKey?: number;
  /** Sessions that start at the same time with one configuration folder. Default: no bound of its own. */
  readonly startsPerConfigDir?: number;
  /** No process is started while less memory is free; a start waits for it. Default: not looked at. */
  readonly minFreeMemoryBytes?: number;
}

/** Who gets a process when there are not enough for all. */
export interface AdmissionOptions {
  /**
   * Where one waits for a slot, or for memory, the session that has had nothing to do for longest is hibernated; its next
   * prompt waits for a slot in its turn. Never one with `persistSession: false`, nor a member of a group. Default false.
   */
  readonly evictIdle?: boolean;
  /** Bytes of memory that are free, now. Default: what the system and the control groups of this process leave. */
  readonly freeMemory?: () => number;
}

/** Deadlines in milliseconds, `Infinity` for none; each session may set its own. Defaults: `DEFAULT_TIMEOUTS`. */
export interface SupervisorTimeoutOptions extends TimeoutOptions {
  /** How long `drain` lets turns and queued prompts go on. */
  readonly drainMs?: number;
  /** How long it waits for starts that it called off. */
  readonly drainAdmissionMs?: number;
  /** How long it waits for turns that it interrupted. */
  readonly drainInterruptMs?: number;
  /** How long sessions may take to leave, in a drain and a shutdown, before they are killed. */
  readonly drainCloseMs?: number;
  /** How long is waited for what was killed. */
  readonly drainKillMs?: number;
  /** How long is waited for what is still to be stored. */
  readonly drainFlushMs?: number;
  /** How long `handover` lets running turns go on. Default 30 000. */
  readonly handoverMs?: number;
  /** With `takeover`: how long the holder of the store is waited for. Default 120 000. */
  readonly takeoverMs?: number;
  /** A store that has not answered a change for so long counts as failing. Default 30 000. */
  readonly storeMs?: number;
  /** With `onHostSignal: 'shutdown'`: from the signal until what is left is killed. */
  readonly hostSignalMs?: number;
}

/** With what a supervisor is created. */
export interface SupervisorOptions
  extends Pick<SessionOptions, 'pathToClaudeCodeExecutable' | 'dialect' | 'env' | 'configDir'> {
  /** For sessions that do not set their own. */
  readonly restart?: RestartOptions;
  readonly onPromptLost?: OnPromptLost;
  readonly onRestart?: OnRestart;
  readonly limits?: SupervisorLimitOptions;
  readonly timeouts?: SupervisorTimeoutOptions;
  readonly admission?: AdmissionOptions;
  /** For every session, beside its own. */
  readonly permissions?: PermissionsOption;
  /** What the sessions may spend. Default: no limits; `ledger()` counts all the same. */
  readonly budget?: BudgetOptions;
  /** What happens at a limit of an account that sessions share. */
  readonly quota?: QuotaOptions;
  /** What is taken out of everything that is kept or told; see docs/secrets.md. */
  readonly secrets?: SecretOptions;
  /**
   * The folder in which the traffic of every session is recorded, a file for each, named by its id: see docs/record-and-replay.md.
   * A session's own `record` counts instead.
   */
  readonly record?: string | RecordOptions;
  readonly logger?: Logger;
  /** Hears every event and snapshot of every machine, as XState inspects them. */
  readonly inspect?: (event: unknown) => void;
  /** Time for all machines. Default: the real one. */
  readonly clock?: Clock;
  /** Opens the transport of a session. Default: a subprocess. */
  readonly spawn?: OpenTransport;
  /**
   * Whether the first start waits until what hosts left behind that are gone has been ended, on Linux: see `reapOrphans`.
   * Default `orphans`; with a `spawn` of your own `off`.
   */
  readonly reap?: 'orphans' | 'off';
  /**
   * Who starts processes. `direct`: this process, which stands still in each fork for as long as it takes to copy the tables of
   * its memory. `auto` (default): as soon as it holds 128 MB outside of the heap of JavaScript (Buffers, mostly) a small process
   * beside it. `always`: the small one from the beginning. Linux only; elsewhere, and with a `spawn` of your own, `direct`.
   */
  readonly spawner?: SpawnerMode;
  /**
   * What SIGINT, SIGTERM and SIGHUP to this process mean. `none` (default): nothing is listened to, so they end it, and its
   * sessions read the end of their input. `shutdown`: the first closes every session within `timeouts.hostSignalMs`, a second
   * kills what is left at once; then the process dies of that signal. `drain`: the same, but the first drains. Where the program listens to the signal, too, it is
   * left alive and ends itself.
   */
  readonly onHostSignal?: 'none' | 'shutdown' | 'drain';
  /**
   * What happens to the sessions when this process is killed by SIGKILL. `wait` (default): they read the end of their input,
   * and what is left the next start ends. `end`: a small process that notices the end of this one runs `reapOrphans` at
   * once. Linux only.
   */
  readonly onHostLost?: 'wait' | 'end';
  /**
   * Where sessions are kept: the path of a file, `:memory:` (default: they last as long as this process), or a store of your own,
   * which you close. A file needs SQLite: STORE_DRIVER_MISSING is thrown where there is none.
   */
  readonly store?: string | Store;
  /**
   * Where another process has the file open: `true` asks that one to hand its sessions over and waits for it, `timeouts.takeoverMs` or
   * `waitMs` milliseconds. Default false: STORE_HELD at once. A holder that is gone is succeeded in any case.
   */
  readonly takeover?: boolean | { readonly waitMs?: number };
  /** What is done when another process asks so: `handover` (default), or nothing (`refuse`): that one waits in vain. */
  readonly onTakeover?: 'handover' | 'refuse';
  /** How a file is written: `batched` (default) shares each flush of the disk among what comes within 10 ms, `strict` waits for nobody. */
  readonly durability?: Durability;
  /** How much the store keeps of what was, looked after each minute in the background. */
  readonly retention?: RetentionOptions;
}

const SupervisorLimitShape = {
  ...LimitShape,
  ...limitShape([
    'maxSessions',
    'maxRegistered',
    'maxSessionsPerKey',
    'maxStarting',
    'startsPerConfigDir',
    'minFreeMemoryBytes',
  ]),
};

const SupervisorTimeoutShape = {
  ...TimeoutShape,
  drainMs: Duration.exactOptional(),
  drainAdmissionMs: Duration.exactOptional(),
  drainInterruptMs: Duration.exactOptional(),
  drainCloseMs: Duration.exactOptional(),
  drainKillMs: Duration.exactOptional(),
  drainFlushMs: Duration.exactOptional(),
  handoverMs: Duration.exactOptional(),
  takeoverMs: Duration.exactOptional(),
  storeMs: Duration.exactOptional(),
  hostSignalMs: Duration.exactOptional(),
};

const AdmissionShape = {
  evictIdle: z.boolean().exactOptional(),
  freeMemory: callable<() => number>().exactOptional(),
};

const StoreShape = objectWith<Store>(
  'a path, ":memory:" or a store',
  'append',
  'head',
  'read',
  'snapshot',
  'sessions',
  'prune',
  'health',
  'close',
);

const TakeoverShape = { waitMs: Duration.exactOptional() };

const Shape = {
  pathToClaudeCodeExecutable: FilledText.exactOptional(),
  dialect: DialectShape,
  env: z.record(FilledText, z.string().optional()).exactOptional(),
  configDir: FilledText.exactOptional(),
  restart: z.strictObject(RestartShape).exactOptional(),
  onPromptLost: PromptLossShape.exactOptional(),
  onRestart: HostLossShape.exactOptional(),
  limits: z.strictObject(SupervisorLimitShape).exactOptional(),
  timeouts: z.strictObject(SupervisorTimeoutShape).exactOptional(),
  admission: z.strictObject(AdmissionShape).exactOptional(),
  permissions: z.strictObject(PermissionsShape).exactOptional(),
  budget: z.strictObject(BudgetShape).exactOptional(),
  quota: z.strictObject(QuotaShape).exactOptional(),
  secrets: z.strictObject(SecretShape).exactOptional(),
  record: RecordShape.exactOptional(),
  logger: objectWith<Logger>(
    'an object with debug, info, warn and error',
    'debug',
    'info',
    'warn',
    'error',
  ).exactOptional(),
  inspect: callable<(event: unknown) => void>().exactOptional(),
  clock: objectWith<Clock>(
    'an object with setTimeout, clearTimeout and now',
    'setTimeout',
    'clearTimeout',
    'now',
  ).exactOptional(),
  spawn: callable<OpenTransport>().exactOptional(),
  reap: z.enum(['orphans', 'off']).exactOptional(),
  spawner: z.enum(['auto', 'direct', 'always']).exactOptional(),
  onHostSignal: z.enum(['none', 'shutdown', 'drain']).exactOptional(),
  onHostLost: z.enum(['wait', 'end']).exactOptional(),
  store: z.union([FilledText, StoreShape], { error: 'expected a path, ":memory:" or a store' }).exactOptional(),
  takeover: z.union([z.boolean(), z.strictObject(TakeoverShape)]).exactOptional(),
  onTakeover: z.enum(['handover', 'refuse']).exactOptional(),
  durability: z.enum(['strict', 'batched']).exactOptional(),
  retention: z.strictObject(RetentionShape).exactOptional(),
};

const SupervisorOptionsSchema = z.strictObject(Shape);

const SUPERVISOR_OPTION_NAMES = {
  '': Object.keys(Shape),
  restart: Object.keys(RestartShape),
  'restart.backoff': Object.keys(BackoffShape),
  limits: Object.keys(SupervisorLimitShape),
  timeouts: Object.keys(SupervisorTimeoutShape),
  admission: Object.keys(AdmissionShape),
  permissions: Object.keys(PermissionsShape),
  budget: Object.keys(BudgetShape),
  quota: Object.keys(QuotaShape),
  'quota.backoff': Object.keys(BackoffShape),
  secrets: Object.keys(SecretShape),
  record: RECORD_OPTION_NAMES,
  takeover: Object.keys(TakeoverShape),
  retention: Object.keys(RetentionShape),
};

true satisfies Agrees<z.infer<typeof SupervisorOptionsSchema>, SupervisorOptions>;
true satisfies Agrees<z.infer<z.ZodObject<typeof SupervisorLimitShape>>, SupervisorLimitOptions>;
true satisfies Agrees<z.infer<z.ZodObject<typeof SupervisorTimeoutShape>>, SupervisorTimeoutOptions>;

/** Checks the options of a supervisor at the edge. Throws INVALID_OPTIONS with `details` `{ field, reason, issues }`. */
export function parseSupervisorOptions(input: unknown): SupervisorOptions {
  const plain = readPlainValue(input);
  if (plain.issues.length > 0) throw invalidOptions(plain.issues);
  const parsed = SupervisorOptionsSchema.safeParse(plain.value);
  if (!parsed.success) throw invalidOptions(issuesOf(parsed.error, SUPERVISOR_OPTION_NAMES));
  return parsed.data;
}
