import type { Actor, SnapshotFrom } from 'xstate';
import { type SessionDeadline, type SessionTimes, sessionDeadlines } from '../../machines/session/session.deadlines.ts';
import type { sessionMachine } from '../../machines/session/session.machine.ts';
import type { WatchDeadline } from '../../machines/watchdog/watchdog.context.ts';
import { type Clock, MAX_TIMER_MS } from '../clock.ts';
import type { SessionLife } from './session-life.ts';

/** Something that will be done if nothing happens before. */
export interface Deadline {
  /**
   * `spawn`, `initialize`, `mcp`, `turn`, `interrupt`, `idle`, `close`, `terminate`, `kill`, `stall-warn`, `stall-interrupt`,
   * `permission`, `backoff` or `parked`.
   */
  readonly what: string;
  /** Epoch milliseconds. */
  readonly at: number;
  /** What is done then. */
  readonly next: string;
}

/** The deadlines that will come, soonest first: an endless one is none. */
export function comingDeadlines(deadlines: readonly Deadline[], now: number): readonly Deadline[] {
  return deadlines.filter(({ at }) => at - now <= MAX_TIMER_MS).sort((one, other) => one.at - other.at);
}

/** Those of its process, or what its session waits for without one. */
export function lifeDeadlines(life: SessionLife): readonly Deadline[] {
  const child = life.childSnapshot();
  const { backoffMs } = child.context;
  const since = life.history().at(-1)?.at ?? 0;
  const armed = [...(life.incarnation?.deadlines() ?? [])];
  if (child.matches('backing-off'))
    armed.push({ what: 'backoff', at: since + backoffMs, next: 'a new process starts' });
  const until = child.matches('parked') ? life.parking.current?.until : undefined;
  if (typeof until === 'number') armed.push({ what: 'parked', at: until, next: 'it goes on' });
  return armed;
}

export function stallDeadline({ step, clock, at }: WatchDeadline): Deadline {
  const next = step === 'warn' ? `watchdog.warned (${clock})` : `the turn is interrupted (${clock}): STALLED`;
  return { what: `stall-${step}`, at, next };
}

/** Since when a session machine is where it is, told by its snapshots: the machine itself knows no time. */
export class StateTimes {
  readonly #actor: Actor<typeof sessionMachine>;
  #place = '';
  #tasks = 0;
  #times: SessionTimes = { since: 0, interruptedAt: 0 };
  #isInterrupting = false;

  constructor(actor: Actor<typeof sessionMachine>, clock: Clock) {
    this.#actor = actor;
    actor.subscribe((snapshot) => this.#note(snapshot, clock));
  }

  deadlines(): readonly SessionDeadline[] {
    const { value, context } = this.#actor.getSnapshot();
    return sessionDeadlines(pathOf(value), context, this.#times);
  }

  #note({ value, context }: SnapshotFrom<typeof sessionMachine>, clock: Clock): void {
    const place = pathOf(value);
    // Idleness begins anew with each change of the tasks in the background.
    const hasMoved = place !== this.#place || (place === 'ready.idle' && context.backgroundTasks !== this.#tasks);
    if (hasMoved) this.#times = { ...this.#times, since: clock.now() };
    if (context.isInterrupting && !this.#isInterrupting) this.#times = { ...this.#times, interruptedAt: clock.now() };
    this.#place = place;
    this.#tasks = context.backgroundTasks;
    this.#isInterrupting = context.isInterrupting;
  }
}

function pathOf(value: SnapshotFrom<typeof sessionMachine>['value']): string {
  if (typeof value === 'string') return value;
  for (const [outer, inner] of Object.entries(value)) return `${outer}.${String(inner)}`;
  return '';
}
