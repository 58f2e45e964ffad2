import type { Silence, WatchClock, WatchReport } from './watchdog.events.ts';

/** From the last sign until somebody is told, and until the turn is interrupted; `Infinity` means never. */
export interface WatchLimits {
  readonly warnMs: number;
  readonly interruptMs: number;
}

export interface WatchdogInput {
  readonly id: string;
  readonly incarnation: number;
  readonly limits: Readonly<Record<WatchClock, WatchLimits>>;
}

export interface WatchdogContext extends WatchdogInput {
  readonly report: WatchReport;
  /** Since when the present clock counts: a tool that ends leaves its silence behind. */
  readonly baseAt: number;
  /** The silence somebody was warned of. */
  readonly warned: Silence | null;
}

/** A limit that will be passed if nothing happens. */
export interface WatchDeadline {
  readonly step: 'warn' | 'interrupt';
  readonly clock: WatchClock;
  readonly at: number;
}

const NOTHING: WatchReport = {
  at: 0,
  isOwed: false,
  background: 0,
  waits: { human: 0, hook: 0, mcp: 0, tool: 0 },
  progressAt: 0,
  livedAt: 0,
};

export function initialWatch(input: WatchdogInput): WatchdogContext {
  return { ...input, report: NOTHING, baseAt: 0, warned: null };
}

/** The clock that counts, or null when nothing is owed or a person is asked. What runs here is told before the tool it serves. */
export function clockOf({ isOwed, background, waits }: WatchReport): WatchClock | null {
  if (waits.human > 0) return null;
  if (!isOwed) return background > 0 ? 'background' : null;
  if (waits.mcp > 0) return 'mcp';
  if (waits.hook > 0) return 'hook';
  return waits.tool > 0 ? 'tool' : 'model';
}

/** The context after a report; a clock that was not running begins now. */
export function withReport(context: WatchdogContext, report: WatchReport): WatchdogContext {
  const isSameClock = clockOf(context.report) === clockOf(report);
  return { ...context, report, baseAt: isSameClock ? context.baseAt : report.at };
}

/** The silence of the present clock. For the model only progress ends it; a tool shows by any sign that its process lives. */
export function silenceOf({ report, baseAt }: WatchdogContext): Silence | null {
  const clock = clockOf(report);
  if (clock === null) return null;
  const sign = clock === 'model' ? report.progressAt : Math.max(report.progressAt, report.livedAt);
  const since = Math.max(baseAt, sign);
  return { clock, since, silentMs: report.at - since };
}

export function isPast(context: WatchdogContext, limit: keyof WatchLimits): boolean {
  const silence = silenceOf(context);
  return silence !== null && silence.silentMs >= context.limits[silence.clock][limit];
}

/** Milliseconds until one of these limits is passed, if nothing happens. */
export function leftUntil(context: WatchdogContext, ...names: (keyof WatchLimits)[]): number {
  const silence = silenceOf(context);
  if (silence === null) return Number.POSITIVE_INFINITY;
  const limits = context.limits[silence.clock];
  return Math.max(0, Math.min(...names.map((name) => limits[name])) - silence.silentMs);
}

/** What will follow if nothing happens, soonest first; steps that were taken are left out. */
export function watchDeadlines(context: WatchdogContext): readonly WatchDeadline[] {
  const silence = silenceOf(context);
  if (silence === null) return [];
  const { clock, since } = silence;
  const { warnMs, interruptMs } = context.limits[clock];
  const steps = [
    { step: 'warn' as const, clock, at: since + warnMs },
    { step: 'interrupt' as const, clock, at: since + interruptMs },
  ];
  const isOpen = {
    warn: !isPast(context, 'warnMs') && warnMs < interruptMs,
    interrupt: !isPast(context, 'interruptMs'),
  };
  return steps.filter(({ step, at }) => isOpen[step] && Number.isFinite(at));
}
