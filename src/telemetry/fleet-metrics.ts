import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { EventRun } from '../store/event-run.ts';
import type { FleetEvent } from '../supervision/fleet-event.ts';
import { hearingRuns } from '../supervision/fleet-observers.ts';
import type { Supervisor } from '../supervision/supervisor.ts';
import { FewLabels } from './few-labels.ts';
import { Waits } from './waits.ts';

/** What is measured. */
export type MeasuredFleet = Pick<Supervisor, 'on' | 'list' | 'session' | 'inbox' | 'load'>;

export interface FleetMetrics {
  /** `text/plain` with the version of the format: the content type of `text()`. */
  readonly contentType: string;
  /** Everything in the text format of Prometheus, as it is now. */
  text(): Promise<string>;
  /** Measures no more. Idempotent. */
  close(): void;
}

const QUICK = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
const SLOW = [0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600, 14_400, 86_400];
/** Beginnings that are remembered of what has not ended. */
const MOST_WAITS = 20_000;
/** Values of a label that the CLI, a tool or the API chose. */
const MOST_VALUES = 40;
const EACH = [
  'type',
  'state',
  'code',
  'ending',
  'outcome',
  'kind',
  'clock',
  'step',
  'reason',
  'status',
  'event',
] as const;

/**
 * Measures a fleet from its events, in a registry of its own. Labels hold no id, no name of a user's thing and no text: their
 * number is bounded whatever the sessions do, and no secret can be among them (P9, P11; R101).
 */
export function measureFleet(supervisor: MeasuredFleet): FleetMetrics {
  const registry = new Registry();
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  presentGauges(supervisor, registry, delay);
  const { hear, hearRun } = countingIn(registry, supervisor);
  const stop = supervisor.on('event', hearingRuns(hear, hearRun));
  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    close() {
      stop();
      delay.disable();
      registry.clear();
    },
  };
}

/** What is so in the moment somebody asks. */
function presentGauges(supervisor: MeasuredFleet, registry: Registry, delay: IntervalHistogram): void {
  const registers = [registry];
  const gauge = (name: string, help: string, labelNames: string[], collect: (gauge: Gauge) => void) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers,
      collect() {
        collect(this);
      },
    });
  gauge('troupe_sessions', 'Sessions by state.', ['state'], (into) => {
    into.reset();
    for (const { state } of supervisor.list()) into.inc({ state });
  });
  gauge('troupe_permissions_pending', 'Questions that wait for somebody.', [], (into) => {
    into.set(supervisor.inbox().length);
  });
  gauge('troupe_prompts_unfinished', 'Prompts that wait or run.', [], (into) => {
    const sessions = supervisor.list().map((session) => session.explain());
    into.set(sessions.reduce((sum, one) => sum + one.queuedPrompts + one.outstandingPrompts, 0));
  });
  gauge('troupe_event_loop_delay_seconds', 'Delay of the event loop since it was last asked.', ['quantile'], (into) => {
    for (const quantile of [50, 90, 99, 99.9])
      into.set({ quantile: String(quantile / 100) }, delay.percentile(quantile) / 1e9);
    into.set({ quantile: '1' }, delay.max / 1e9);
    delay.reset();
  });
  gauge('process_resident_memory_bytes', 'Resident memory of this process, without its children.', [], (into) => {
    into.set(process.memoryUsage.rss());
  });
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'Processor time of this process, without its children.',
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });
}

/** Counts what happens. */
function countingIn(registry: Registry, supervisor: Pick<Supervisor, 'session'>) {
  const registers = [registry];
  const count = <L extends (typeof EACH)[number]>(name: string, help: string, ...labelNames: L[]) =>
    new Counter({ name, help, labelNames, registers });
  const measure = <L extends (typeof EACH)[number]>(
    name: string,
    help: string,
    buckets: number[],
    ...labelNames: L[]
  ) => new Histogram({ name, help, labelNames, buckets, registers });

  const transitions = count('troupe_session_transitions_total', 'States that sessions entered.', 'state');
  const restarts = count(
    'troupe_session_restarts_total',
    'Processes that are replaced, by why they ended.',
    'code',
    'ending',
  );
  const ends = count('troupe_session_ends_total', 'Sessions that ended for good, by why.', 'code');
  const prompts = count('troupe_prompts_total', 'Prompts that ended, by outcome.', 'outcome');
  const turns = count('troupe_turns_total', 'Turns that ended.', 'outcome');
  const streamed = { lines: 0, bytes: 0 };
  const messages = new Counter({
    name: 'troupe_messages_total',
    help: 'Conversation lines of the CLIs.',
    labelNames: ['type'],
    registers,
    collect() {
      if (streamed.lines > 0) this.inc({ type: name('type', 'stream_event') }, streamed.lines);
      streamed.lines = 0;
    },
  });
  const bytes = new Counter({
    name: 'troupe_message_bytes_total',
    help: 'Bytes of these lines.',
    registers,
    collect() {
      this.inc(streamed.bytes);
      streamed.bytes = 0;
    },
  });
  const cost = count('troupe_cost_usd_total', 'US dollars that turns cost, by the price list of the CLI.');
  const tokens = count('troupe_tokens_total', 'Tokens of the turns that ended.', 'kind');
  const hooks = count('troupe_hook_calls_total', 'Hooks of this program that were called.', 'event', 'outcome');
  const watchdog = count('troupe_watchdog_total', 'What the watchdog did, by whom it waited for.', 'step', 'clock');
  const quota = count('troupe_quota_total', 'Limits of accounts that were reached or lifted.', 'step');
  const budget = count('troupe_budget_total', 'Budgets that warned or were reached.', 'step');
  const servers = count('troupe_mcp_server_changes_total', 'MCP servers that changed, by what they are now.', 'status');
  const oddities = count('troupe_diagnostics_total', 'Traffic that was foreign, corrupt, late or unknown.', 'reason');
  const queueing = measure('troupe_prompt_queue_seconds', 'From acceptance to delivery.', SLOW);
  const latency = measure('troupe_turn_seconds', 'From the opening of a turn to its result.', SLOW, 'outcome');
  const starting = measure('troupe_session_start_seconds', 'From the process to ready.', QUICK);
  const asking = measure('troupe_permission_wait_seconds', 'From a question to its end.', SLOW, 'kind', 'outcome');
  const hooking = measure('troupe_hook_seconds', 'How long hooks of this program took.', QUICK, 'event');

  const waits = new Waits(MOST_WAITS);
  const few = Object.fromEntries(EACH.map((label) => [label, new FewLabels(MOST_VALUES)]));
  const name = (label: (typeof EACH)[number], value: string | undefined) => few[label]?.of(value) ?? 'other';

  /** The pieces of an answer are the most of what happens: they are summed up, and counted when somebody asks. */
  const hearRun = (_: string, { count: lines, lines: { bytes: all } }: EventRun): void => {
    streamed.lines += lines;
    streamed.bytes += all.length - lines;
  };

  const hear = (event: FleetEvent): void => {
    // The end of such a session is told to nobody.
    if (event.type === 'store.refused') ends.inc({ code: name('code', event.code) });
    if (!('sessionId' in event) || !('seq' in event)) return;
    const { sessionId: id, at } = event;
    switch (event.type) {
      case 'message':
        messages.inc({ type: name('type', event.message.type) });
        bytes.inc(event.message.raw.length);
        break;
      case 'session.started':
        waits.begin(`start ${id}`, at);
        break;
      case 'session.state-changed': {
        transitions.inc({ state: name('state', event.state) });
        const took = event.state === 'ready' ? waits.end(`start ${id}`, at) : undefined;
        if (took !== undefined) starting.observe(took);
        break;
      }
      case 'session.restarting':
        restarts.inc({ code: name('code', event.cause.code), ending: name('ending', event.cause.ending) });
        break;
      case 'session.ended':
        ends.inc({ code: name('code', event.cause.code) });
        break;
      case 'prompt.accepted':
        waits.begin(`prompt ${id} ${event.promptId}`, at);
        break;
      case 'prompt.delivered': {
        const took = waits.end(`prompt ${id} ${event.promptId}`, at);
        if (took !== undefined) queueing.observe(took);
        break;
      }
      case 'prompt.ended':
        waits.end(`prompt ${id} ${event.promptId}`, at);
        prompts.inc({ outcome: event.outcome });
        break;
      case 'turn.started':
        waits.end(`turn ${id}`, at);
        waits.begin(`turn ${id}`, at);
        break;
      case 'turn.ended': {
        const outcome = event.isError ? 'error' : 'success';
        turns.inc({ outcome });
        if (event.costUsd !== undefined && event.costUsd > 0) cost.inc(event.costUsd);
        const took = waits.end(`turn ${id}`, at);
        if (took !== undefined) latency.observe({ outcome }, took);
        const usage = supervisor.session(id)?.turns().at(-1)?.usage;
        for (const kind of ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheCreationTokens'] as const) {
          const added = usage?.[kind];
          if (added !== undefined && added > 0) tokens.inc({ kind: KINDS[kind] }, added);
        }
        break;
      }
      case 'permission.requested':
        waits.begin(`question ${id} ${event.requestId}`, at);
        break;
      case 'permission.settled': {
        const took = waits.end(`question ${id} ${event.requestId}`, at);
        if (took !== undefined) asking.observe({ kind: event.kind, outcome: name('outcome', event.outcome) }, took);
        break;
      }
      case 'hook.called':
        hooks.inc({ event: name('event', event.event), outcome: event.outcome });
        hooking.observe({ event: name('event', event.event) }, event.tookMs / 1_000);
        break;
      case 'watchdog.warned':
      case 'watchdog.recovered':
      case 'watchdog.interrupted':
        watchdog.inc({ step: stepOf(event.type), clock: event.clock });
        break;
      case 'quota.reached':
      case 'quota.reset':
        quota.inc({ step: stepOf(event.type) });
        break;
      case 'budget.warned':
      case 'budget.reached':
        budget.inc({ step: stepOf(event.type) });
        break;
      case 'mcp.server-changed':
        servers.inc({ status: name('status', event.status) });
        break;
      case 'diagnostic':
        oddities.inc({ reason: name('reason', event.reason) }, 1 + (event.suppressed ?? 0));
        break;
      default:
    }
  };
  return { hear, hearRun };
}

const KINDS = {
  inputTokens: 'input',
  outputTokens: 'output',
  cacheReadTokens: 'cache-read',
  cacheCreationTokens: 'cache-creation',
} as const;

function stepOf(type: string): string {
  return type.slice(type.indexOf('.') + 1);
}
