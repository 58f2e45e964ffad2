import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { McpServerSpec } from '../../machines/session/session.context.ts';
import type { Clock } from '../clock.ts';
import { HookDesk } from '../hooks/hook-desk.ts';
import { DEFAULT_LIMITS, DEFAULT_RESTART, DEFAULT_TIMEOUTS } from '../launch/defaults.ts';
import type { SessionOptions } from '../launch/session-options.ts';
import { PermissionDesk } from '../permissions/permission-desk.ts';
import { shadowedTools } from '../permissions/shadowed-tools.ts';
import { Conversation } from '../session/conversation.ts';
import { Incarnation } from '../session/incarnation.ts';
import { Session } from '../session/session.ts';
import { type Admission, SessionLife } from '../session/session-life.ts';
import { freshSettings, replaySettings } from '../session/session-settings.ts';
import { EventLog } from '../store/event-log.ts';
import type { OpenTransport } from '../transport/transport.ts';
import { streamJson } from '../wire/stream-json/codec.ts';
import { planIncarnation } from './incarnation-plan.ts';

export interface SessionSurroundings {
  readonly clock: Clock;
  readonly open: OpenTransport;
  readonly inspect: ((event: unknown) => void) | undefined;
  readonly admission: Admission;
  readonly admitsPrompts: () => boolean;
  /** Hears what a listener of the session's events threw. */
  readonly onListenerError: (error: unknown) => void;
  /** Wraps an observer so that what it throws, at once or later, stops nobody. */
  readonly isolated: (observer: (line: string) => unknown) => (line: string) => void;
  readonly restart: SessionOptions['restart'];
  readonly timeouts: SessionOptions['timeouts'];
  readonly limits: SessionOptions['limits'];
}

export interface BuiltSession {
  readonly session: Session;
  readonly life: SessionLife;
  readonly options: SessionOptions;
  readonly conversation: Conversation;
  readonly desk: PermissionDesk;
  readonly log: EventLog;
}

const SETTLED_PERMISSIONS_KEPT = 200;

/** Puts a session together: its log, its desk, its conversation, its life. Starts nothing. */
export function buildSession(id: string, options: SessionOptions, around: SessionSurroundings): BuiltSession {
  const { clock, inspect } = around;
  const timeouts = { ...DEFAULT_TIMEOUTS, ...around.timeouts, ...options.timeouts };
  const limits = { ...DEFAULT_LIMITS, ...around.limits, ...options.limits };
  const restart = restartSpec(around.restart, options.restart);
  const settings = freshSettings();
  const { stderrTailBytes } = limits;
  const log = buildLog(limits, around);
  const conversation = new Conversation({
    log,
    maxQueued: limits.maxPromptQueue,
    wanted: options.forkSession === true ? undefined : (options.resume ?? options.sessionId),
    expectedMode: () => settings.permissionMode ?? options.permissionMode ?? 'default',
  });
  let life: SessionLife | undefined;
  const desk = buildDesk(options, around, timeouts.permissionMs, log, () => life);
  const hooks = buildHooks(options, clock, timeouts.hookMs, log, () => life);
  const servers = inProcessServers(options);
  life = new SessionLife({
    id,
    restart,
    autoStart: options.autoStart !== false,
    clock,
    chance: Math.random,
    log,
    conversation,
    admission: around.admission,
    inspect,
    onStderr: options.stderr === undefined ? undefined : around.isolated(options.stderr),
    replay: ({ channel }) =>
      replaySettings(settings, (subtype, payload) =>
        channel.request(subtype, payload, { deadlineMs: timeouts.controlMs }),
      ),
    build: (number, listener) =>
      new Incarnation({
        id,
        number,
        codec: streamJson,
        clock,
        open: around.open,
        plan: () =>
          planIncarnation({
            id,
            number,
            options,
            settings,
            conversation,
            stderrTailBytes,
            registrations: hooks.registration(),
          }),
        timeouts,
        limits,
        servers,
        mcpServers: serverSpecs(options),
        permissions: desk,
        hooks,
        inspect,
        listener,
      }),
  });
  const { controlMs, interruptMs } = timeouts;
  warnOfShadow(options, log);
  const session = new Session({
    id,
    key: options.key,
    mayBypass: options.allowDangerouslySkipPermissions === true,
    admitsPrompts: around.admitsPrompts,
    life,
    conversation,
    desk,
    log,
    settings,
    controlMs,
    interruptMs,
    clock,
  });
  return { session, options, life, conversation, desk, log };
}

function buildLog(limits: typeof DEFAULT_LIMITS, around: SessionSurroundings): EventLog {
  const subscriber = { maxItems: limits.maxSubscriberBufferItems, maxBytes: limits.maxSubscriberBufferBytes };
  return new EventLog(
    { maxItems: limits.maxLogItems, maxBytes: limits.maxLogBytes, subscriber },
    () => around.clock.now(),
    {
      onListenerError: around.onListenerError,
    },
  );
}

function buildDesk(
  options: SessionOptions,
  around: SessionSurroundings,
  deadlineMs: number,
  log: EventLog,
  life: () => SessionLife | undefined,
): PermissionDesk {
  return new PermissionDesk({
    clock: around.clock,
    deadlineMs,
    canUseTool: options.canUseTool,
    isAttended: options.permissionPrompts !== 'none',
    maxSettled: SETTLED_PERMISSIONS_KEPT,
    inspect: around.inspect,
    onRequested: (request) => {
      const { id: requestId, toolName, input, toolUseId, agentId } = request;
      const epoch = life()?.epoch ?? 0;
      log.append(epoch, { type: 'permission.requested', requestId, toolName, input, toolUseId, agentId });
      life()?.incarnation?.tell({ type: 'permission.requested', requestId, at: around.clock.now() });
    },
    onSettled: ({ id: requestId }, { outcome, by }) => {
      log.append(life()?.epoch ?? 0, { type: 'permission.settled', requestId, outcome, by });
      life()?.incarnation?.tell({ type: 'permission.settled', requestId, at: around.clock.now() });
    },
    onDroppedUpdates: ({ id }, dropped) => {
      const detail = `${dropped} malformed updatedPermissions of request ${id} were left out`;
      log.append(life()?.epoch ?? 0, { type: 'diagnostic', reason: 'malformed-permission-update', detail });
    },
  });
}

function buildHooks(
  options: SessionOptions,
  clock: Clock,
  deadlineMs: number,
  log: EventLog,
  life: () => SessionLife | undefined,
): HookDesk {
  return new HookDesk({
    hooks: options.hooks,
    clock,
    deadlineMs,
    onCalled: ({ reason, ...call }) => {
      const epoch = life()?.epoch ?? 0;
      log.append(epoch, { type: 'hook.called', ...call });
      if (call.outcome === 'answered' || call.outcome === 'cancelled') return;
      log.append(epoch, { type: 'diagnostic', reason: 'hook-failed', detail: `${call.event}: ${reason}` });
    },
  });
}

/** A callback that is silently never called looks like one that allows everything (R40). */
function warnOfShadow(options: SessionOptions, log: EventLog): void {
  const tools = options.canUseTool === undefined ? [] : shadowedTools(options);
  if (tools.length === 0) return;
  log.append(0, {
    type: 'diagnostic',
    reason: 'decider-shadowed',
    detail: `canUseTool is never asked about ${tools.join(', ')}`,
  });
}

function restartSpec(general: SessionOptions['restart'], own: SessionOptions['restart']): typeof DEFAULT_RESTART {
  const backoff = {
    ...DEFAULT_RESTART.backoff,
    ...definedOf(general?.backoff ?? {}),
    ...definedOf(own?.backoff ?? {}),
  };
  return { ...DEFAULT_RESTART, ...definedOf(general ?? {}), ...definedOf(own ?? {}), backoff };
}

function definedOf<T extends object>(values: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], undefined> };
}

function inProcessServers(options: SessionOptions): ReadonlyMap<string, McpServer> {
  const servers = new Map<string, McpServer>();
  for (const [name, config] of Object.entries(options.mcpServers ?? {})) {
    // The schema checked that it has the methods of a server; whose copy of the class it is does not matter.
    if (config.type === 'sdk') servers.set(name, config.instance as McpServer);
  }
  return servers;
}

/** The servers `mcp-setup` waits for: those in this process. */
function serverSpecs(options: SessionOptions): McpServerSpec[] {
  return Object.entries(options.mcpServers ?? {})
    .filter(([, config]) => config.type === 'sdk')
    .map(([name, config]) => ({ name, required: config.required === true }));
}
