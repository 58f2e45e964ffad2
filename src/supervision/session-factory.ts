import type { AwakeClock, Clock } from '../clock.ts';
import { dialectOf, openedAs } from '../dialects/dialect.ts';
import type { TroupeError } from '../errors.ts';
import type { RaiseAmounts } from '../launch/budget-options.ts';
import { DEFAULT_LIMITS, DEFAULT_TIMEOUTS } from '../launch/defaults.ts';
import type { PlannedLaunch } from '../launch/launch-plan.ts';
import { invalidOptions } from '../launch/option-issue.ts';
import type { OnPromptLost, SessionOptions } from '../launch/session-options.ts';
import { allowedToolsOf } from '../launch/skills.ts';
import { ServerSet } from '../mcp/server-set.ts';
import type { PermissionDesk } from '../permissions/permission-desk.ts';
import { shadowedTools } from '../permissions/shadowed-tools.ts';
import type { Redaction } from '../redaction/redaction.ts';
import type { Admission } from '../session/admission.ts';
import { Conversation } from '../session/conversation.ts';
import { causeOf } from '../session/exit-cause.ts';
import { unkeptBecause } from '../session/handed-over.ts';
import { Incarnation } from '../session/incarnation.ts';
import { type FoundRecords, KeptRecords, NOTHING_FOUND } from '../session/kept-records.ts';
import type { Barrier } from '../session/parking-place.ts';
import { QuotaRetry } from '../session/quota-retry.ts';
import { ReadPace } from '../session/read-pace.ts';
import { goOnWith, Session, type SessionParts } from '../session/session.ts';
import { SessionLife } from '../session/session-life.ts';
import { SessionRecords } from '../session/session-records.ts';
import { freshSettings, type RuntimeSettings, replaySettings } from '../session/session-settings.ts';
import type { Spending } from '../session/spending.ts';
import { storedOptionsOf, withConversation } from '../session/stored-options.ts';
import { EventLog } from '../store/event-log.ts';
import type { RecordChange } from '../store/newest-records.ts';
import type { SessionJournal } from '../store/session-journal.ts';
import type { LogHead } from '../store/store.ts';
import type { StoreDesk } from '../store/store-desk.ts';
import { historyOf } from '../store/whole-log.ts';
import type { AccountSeat } from './account-seat.ts';
import { refusalOf } from './cli-refusal.ts';
import { heardBy } from './heard-by.ts';
import { planIncarnation } from './incarnation-plan.ts';
import type { OwnConversation } from './own-conversation.ts';
import { cleanUpAfter, recordedOpen, tapeOf } from './recorded-launch.ts';
import { restartSpec } from './restart-spec.ts';
import type { RestoredSession } from './restored-session.ts';
import type { SecretKeeper } from './secret-keeper.ts';
import { buildDesk } from './session-desk.ts';
import { buildHooks, guarded } from './session-hooks.ts';
import { StoreLink } from './store-link.ts';
import type { WarmPools } from './warm-pools.ts';

export interface SessionSurroundings {
  readonly clock: Clock;
  /** The same without the sleep of the host. */
  readonly awake: AwakeClock;
  /** How a process of that session, with that environment of its own, is planned and started. */
  readonly launcher: WarmPools['launcher'];
  /** Which conversation it is, where the options do not say it. */
  readonly own?: OwnConversation | undefined;
  readonly inspect: ((event: unknown) => void) | undefined;
  readonly admission: Admission;
  /** What stands in the way of its work; asked before each start and each prompt. */
  readonly barrier?: Barrier | undefined;
  /** Hears what it spends. */
  readonly spending?: Spending | undefined;
  readonly raiseBudget?: ((amounts: RaiseAmounts) => void) | undefined;
  readonly fork?: ((given: SessionOptions) => Promise<Session>) | undefined;
  /** Hears every message of the CLI before the conversation does, and why a process ended. */
  readonly account?: Pick<AccountSeat, 'hear' | 'hearAnswer' | 'lostFor'> | undefined;
  /** A group starts it, and decides what an end of its process means. */
  readonly isMember: boolean;
  /** Knows what is a secret. */
  readonly secrets: SecretKeeper;
  readonly admitsPrompts: () => boolean;
  /** Hears what a listener of the session's events threw. */
  readonly onListenerError: (error: unknown) => void;
  /** Wraps an observer so that what it throws, at once or later, stops nobody. */
  readonly isolated: (observer: (line: string) => unknown) => (line: string) => void;
  /** Rules for every session, beside its own. */
  readonly permissions: SessionOptions['permissions'];
  /** The folder in which those are recorded that do not say it themselves. */
  readonly record?: SessionOptions['record'];
  readonly restart: SessionOptions['restart'];
  readonly onPromptLost: SessionOptions['onPromptLost'];
  readonly timeouts: SessionOptions['timeouts'];
  readonly limits: SessionOptions['limits'];
  /** Where its log and its records are kept; undefined keeps them in memory. */
  readonly store?: StoreDesk | undefined;
  /** Why no prompt may be accepted at present, because it could not be kept. */
  readonly storeRefusal?: (() => TroupeError | undefined) | undefined;
  /** Where the log of an earlier session with this id ended. */
  readonly head?: LogHead | undefined;
  /** … and what else of it lies in the store. */
  readonly former?: FoundRecords | undefined;
  /** The groups it is a member of, from the outermost. */
  readonly groups?: readonly string[];
}

/** What is replaced when a held session is taken over; its log, its conversation and its handle go on and look here. */
export interface SessionCore {
  limits: typeof DEFAULT_LIMITS;
  onLost: OnPromptLost;
  defaultMode: string;
  readonly settings: RuntimeSettings;
  redaction: Redaction;
  retry: QuotaRetry;
  readonly pace: ReadPace;
  /** Its prompts wait for another supervisor: no more of them go out here. */
  holdsBack?: boolean;
  life?: SessionLife;
  records?: SessionRecords;
  kept?: KeptRecords;
}

export interface BuiltSession {
  readonly session: Session;
  readonly life: SessionLife;
  readonly options: SessionOptions;
  readonly conversation: Conversation;
  readonly desk: PermissionDesk;
  readonly log: EventLog;
  readonly journal: SessionJournal | undefined;
  readonly servers: ServerSet;
  /** What stands behind its log and its conversation. */
  readonly core: SessionCore;
  /** What it was under another host. */
  readonly restored: RestoredSession | undefined;
  /** What its process with that number would be started with now, in a conversation of that id. Writes the private files for it. */
  readonly plan: (number: number, conversationId?: string) => Promise<PlannedLaunch>;
}

/**
 * Puts a session together: its log, its desk, its conversation, its life, where another host left it if one did. Starts nothing.
 * With a `former`, that one's log, conversation and handle go on with these options.
 */
export function buildSession(
  id: string,
  options: SessionOptions,
  around: SessionSurroundings,
  restored?: RestoredSession,
  former?: BuiltSession,
): BuiltSession {
  const { clock, inspect, own } = around;
  const timeouts = mergedOver(DEFAULT_TIMEOUTS, around.timeouts, options.timeouts);
  const limits = mergedOver(DEFAULT_LIMITS, around.limits, options.limits);
  const restart = restartSpec(around.restart, options.restart);
  const settings = former?.core.settings ?? restored?.settings ?? freshSettings();
  const { stderrTailBytes } = limits;
  const redaction = around.secrets.redaction(options);
  if (restored === undefined) assertNamed({ id, key: options.key }, redaction);
  const retry = new QuotaRetry((options.onQuota ?? 'retry') === 'retry');
  const onLost = options.onPromptLost ?? around.onPromptLost ?? 'once';
  const fresh = { limits, onLost, defaultMode: options.permissionMode ?? 'default', redaction, retry };
  const core: SessionCore =
    former === undefined ? { settings, pace: new ReadPace(), ...fresh } : Object.assign(former.core, fresh);
  const { log, journal } = former ?? buildLog(id, limits, around, core, restored?.isBare);
  const conversation = former?.conversation ?? buildConversation(options, around, core, log, restored);
  const desk = buildDesk(options, around, timeouts.permissionMs, log, () => core.life);
  const hooks = buildHooks(guarded(options, desk), clock, timeouts.hookMs, log, () => core.life);
  const servers = new ServerSet(options.mcpServers);
  servers.onChange((change) => redaction.learn(around.secrets.servers(change.servers)));
  const dialect = dialectOf(options);
  const { sessionStore: store } = options;
  const storeLink = store === undefined ? undefined : new StoreLink(store, options, clock);
  const plan = (number: number, sessionId = own?.id ?? options.sessionId) =>
    planIncarnation({
      id,
      number,
      options: { ...options, ...(sessionId && { sessionId }), mcpServers: servers.servers },
      settings,
      conversation,
      log,
      stderrTailBytes,
      mcpTimeoutMs: timeouts.mcpServerMs,
      storeLink,
      registrations: hooks.registration(),
    });
  const tape = tapeOf(id, options.record, {
    folder: around.record,
    clock,
    redaction,
    maxLineBytes: limits.maxLineBytes,
    tell: (detail) => log.append(core.life?.epoch ?? 0, { type: 'diagnostic', reason: 'recording-stopped', detail }),
  });
  const life = new SessionLife({
    child: {
      id,
      restart,
      autoStart: options.autoStart !== false && !around.isMember,
      isMember: around.isMember,
      ...(restored === undefined ? { incarnations: around.head?.epoch ?? 0 } : { restored: restored.child }),
    },
    clock,
    chance: Math.random,
    log,
    conversation,
    admission: around.admission,
    barrier: around.barrier,
    lostFor: (cause) => around.account?.lostFor(cause),
    catchUp: () => desk.catchUp(),
    inspect,
    onStderr: options.stderr === undefined ? undefined : around.isolated(options.stderr),
    firstStart: {
      resume: options.forkSession === true ? undefined : options.resume,
      get sessionId() {
        return own?.id ?? options.sessionId;
      },
    },
    cleanUp: cleanUpAfter(storeLink, tape),
    replay: ({ channel }) =>
      replaySettings(settings, (subtype, payload) =>
        channel.request(subtype, payload, { deadlineMs: timeouts.controlMs }),
      ),
    onModeChanged: (mode) => {
      settings.permissionMode = mode;
    },
    build: (number, listener) => {
      const launcher = around.launcher(id, options.env, () => plan(number), own);
      return new Incarnation({
        id,
        number,
        codec: dialect.createCodec(),
        clock: around.awake,
        plan: launcher.plan,
        open: core.pace.paced(openedAs(dialect, options, recordedOpen(launcher.open, tape))),
        timeouts: storeLink?.timeouts(timeouts) ?? timeouts,
        limits,
        servers,
        permissions: desk,
        hooks,
        isVerbatim: options.verbatimPrompts === true,
        whenPublished: (published, discarded) => log.whenPublished(published, () => discarded(unkeptBecause(log))),
        refuse: (answer) => refusalOf(options, answer, (detail) => tellUnsupported(log, number, detail)),
        inspect,
        redaction,
        listener: heardBy(listener, { redaction, storeLink }, { retry, account: around.account }),
      });
    },
  });
  core.life = life;
  const { controlMs, interruptMs } = timeouts;
  if (journal !== undefined) {
    const { groups = [] } = around;
    const stored = restored?.stored ?? storedOptionsOf(options);
    const named = () => (own === undefined ? stored : withConversation(stored, own.id));
    core.kept ??= new KeptRecords(restored?.found ?? around.former ?? NOTHING_FOUND);
    const about = { clock, groups, key: options.key, options: named, kept: core.kept };
    core.records = new SessionRecords({ ...about, life, conversation, desk, settings });
  }
  warnOfShadow(options, log);
  const parts: SessionParts = {
    id,
    key: options.key,
    groups: around.groups ?? [],
    mayBypass: options.allowDangerouslySkipPermissions === true,
    admitsPrompts: around.admitsPrompts,
    life,
    conversation,
    desk,
    log,
    settings,
    servers,
    controlMs,
    interruptMs,
    clock,
    raiseBudget: around.raiseBudget,
    fork: around.fork,
    missing: restored?.missing,
    redaction,
    storeRefusal: around.storeRefusal,
    promptFault: dialect.promptFault,
  };
  const session = former?.session ?? new Session(parts);
  if (former !== undefined) goOnWith(session, parts);
  return { session, options, life, conversation, desk, log, journal, servers, core, restored, plan };
}

function buildConversation(
  options: SessionOptions,
  around: SessionSurroundings,
  core: SessionCore,
  log: EventLog,
  restored: RestoredSession | undefined,
): Conversation {
  return new Conversation({
    log,
    rules: () => ({ maxQueued: core.limits.maxPromptQueue, onLost: core.onLost }),
    wanted: () => (options.forkSession === true ? undefined : (options.resume ?? around.own?.id ?? options.sessionId)),
    continuesOther: options.resume !== undefined || options.continue === true,
    expectedMode: () => core.settings.permissionMode ?? core.defaultMode,
    admitsWork: () => core.holdsBack !== true && (core.life?.parking.admitsWork() ?? true),
    onStranded: () => core.life?.wakeForPrompt(),
    ...(around.spending === undefined ? {} : { spending: around.spending }),
    again: (result) => core.retry.again(result),
    restored: restored?.conversation,
  });
}

/** Sessions for which nobody said anything share the defaults. */
function mergedOver<T extends object, Given extends object>(
  defaults: T,
  general: Given | undefined,
  own: Given | undefined,
): T {
  return general === undefined && own === undefined ? defaults : { ...defaults, ...general, ...own };
}

/** By what it is known stands in the store, in every event and in what it is asked for: it must be no secret. */
function assertNamed(names: { readonly id: string; readonly key: string | undefined }, redaction: Redaction): void {
  for (const [field, name] of Object.entries(names)) {
    if (name !== undefined && redaction.isIn(name)) throw invalidOptions([{ field, reason: 'must not hold a secret' }]);
  }
}

function redactedChange(change: RecordChange | undefined, redaction: Redaction): RecordChange | undefined {
  return change && { ...change, records: change.records.map((record) => redaction.record(record)) };
}

function buildLog(
  id: string,
  limits: typeof DEFAULT_LIMITS,
  around: SessionSurroundings,
  core: SessionCore,
  isBare = false,
): Pick<BuiltSession, 'log' | 'journal'> {
  const journal = around.store?.journal(id, {
    limits: { maxItems: limits.maxLogItems, maxBytes: limits.maxLogBytes },
    recordsOf: (event) =>
      isBare && event.type !== 'session.ended' ? undefined : redactedChange(core.records?.of(event), core.redaction),
    onUnkept: (error) => core.life?.stop('kill', causeOf(error)),
    pressed: (isPressed) => core.pace.hold(isPressed),
  });
  const subscriber = { maxItems: limits.maxSubscriberBufferItems, maxBytes: limits.maxSubscriberBufferBytes };
  const { lastSeq, epoch } = around.head ?? { lastSeq: 0, epoch: 0 };
  const log = new EventLog(
    { maxItems: limits.maxLogItems, maxBytes: limits.maxLogBytes, subscriber },
    () => around.clock.now(),
    {
      onListenerError: around.onListenerError,
      redact: (fact) => core.redaction.fact(fact),
      history: around.store && historyOf(around.store.store, id),
      journal,
      lastSeq,
      epoch,
    },
  );
  journal?.attach(log, lastSeq);
  return { log, journal };
}

function tellUnsupported(log: EventLog, epoch: number, detail: string): void {
  log.append(epoch, { type: 'diagnostic', reason: 'option-unsupported', detail });
}

/** A callback that is silently never called looks like one that allows everything (R40). */
function warnOfShadow(options: SessionOptions, log: EventLog): void {
  const tools =
    options.canUseTool === undefined ? [] : shadowedTools({ ...options, allowedTools: allowedToolsOf(options) });
  if (tools.length === 0) return;
  log.append(0, {
    type: 'diagnostic',
    reason: 'decider-shadowed',
    detail: `canUseTool is never asked about ${tools.join(', ')}`,
  });
}
