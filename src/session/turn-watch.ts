import { type Actor, createActor, fromCallback } from 'xstate';
import { endingOf } from '../../machines/child/endings.ts';
import type { EndCause } from '../../machines/session/session.events.ts';
import {
  clockOf,
  type WatchDeadline,
  type WatchLimits,
  watchDeadlines,
} from '../../machines/watchdog/watchdog.context.ts';
import type {
  OpenWaits,
  SignsCommand,
  WatchClock,
  WatchdogEvent,
  WatchdogNotice,
  WatchReport,
} from '../../machines/watchdog/watchdog.events.ts';
import { watchdogMachine } from '../../machines/watchdog/watchdog.machine.ts';
import { type AwakeClock, atEndOfTurn } from '../clock.ts';
import type { IncomingRequest, RequestHandler } from '../control/request-handlers.ts';
import type { WatchdogFact } from '../store/session-event.ts';
import type { CliMessage } from '../wire/cli-message.ts';
import { isRecord } from '../wire/fields.ts';
import { type FrameClass, frameOf, requestClass } from '../wire/frame-class.ts';
import type { LineRun } from '../wire/line-run.ts';
import { Hands } from './hands.ts';
import { OpenWork } from './open-work.ts';

export interface TurnWatchOptions {
  readonly id: string;
  readonly incarnation: number;
  readonly clock: AwakeClock;
  readonly timeouts: Parameters<typeof watchLimits>[0];
  readonly inspect: ((event: unknown) => void) | undefined;
  readonly onNotice: (notice: WatchdogNotice) => void;
  /** The host stood still that long while something was watched. */
  readonly onResumed: (gapMs: number) => void;
}

/** The limits of the clocks by the options: what is no model has the limits of tools, and work beside the turns none. */
export function watchLimits(timeouts: {
  readonly stallMs: number;
  readonly stallInterruptMs: number;
  readonly toolStallMs: number;
  readonly toolStallInterruptMs: number;
}): Readonly<Record<WatchClock, WatchLimits>> {
  const model = { warnMs: timeouts.stallMs, interruptMs: timeouts.stallInterruptMs };
  const tool = { warnMs: timeouts.toolStallMs, interruptMs: timeouts.toolStallInterruptMs };
  const never = { warnMs: Number.POSITIVE_INFINITY, interruptMs: Number.POSITIVE_INFINITY };
  return { model, tool, hook: tool, mcp: tool, background: never };
}

/** What is blamed for a turn that was interrupted because of a silence, and for the process when the turn does not end then. */
export function stallCause({ clock, silentMs }: WatchdogNotice): EndCause {
  const message = `${WAITS[clock]}, and nothing moved for ${silentMs} ms.`;
  return { code: 'STALLED', message, ending: endingOf('STALLED'), details: { clock, silentMs } };
}

const WAITS: Readonly<Record<WatchClock, string>> = {
  model: 'It waited for the model',
  tool: 'A tool ran',
  hook: 'A hook ran',
  mcp: 'A tool of this program ran',
  background: 'Work went on beside the turns',
};

/** The notice as an event of the log, which has the time of the wall clock. */
export function watchdogFact(notice: WatchdogNotice, awake: AwakeClock): WatchdogFact {
  const { clock, silentMs } = notice;
  const facts = { clock, since: awake.wallTime(notice.since), silentMs };
  if (notice.type !== 'watchdog.warned') return { type: notice.type, ...facts };
  const { interruptAt } = notice;
  return { type: notice.type, ...facts, interruptAt: interruptAt === null ? undefined : awake.wallTime(interruptAt) };
}

/** At its end a line has an id of its own: two that differ mostly differ there. */
const ID_TAIL_BYTES = 40;

const WATCHES = new Hands<TurnWatch>();
const MACHINE = watchdogMachine.provide({
  actors: {
    signs: fromCallback<SignsCommand | WatchdogEvent>((port) => {
      const report = (event: WatchdogEvent) => port.sendBack(event); // sendBack alone accepts anything.
      port.receive((command) => {
        if (command.type === 'signs.ask') report({ type: 'watch.reported', report: WATCHES.of(port).present() });
      });
    }),
  },
});

/** The hands of the watchdog of one process: it looks at each frame, and keeps two moments of time. */
export class TurnWatch {
  readonly #options: TurnWatchOptions;
  /** Started with the first work: a process that rests is watched by nobody. */
  #actor: Actor<typeof watchdogMachine> | undefined;
  #isStopped = false;
  /** Made with the first work, too. */
  #openWork: OpenWork | undefined;
  #isOwed = false;
  #background = 0;
  #progressAt = 0;
  #livedAt = 0;
  /** The message before, where it came by itself; otherwise its line is copied to the other place. */
  #former: CliMessage | undefined;
  #formerLine = Buffer.alloc(0);
  #formerBytes = 0;
  /** Somebody was warned, or the turn interrupted: the next progress is told at once. */
  #isEager = false;
  #isReportDue = false;
  #toldWaits: OpenWaits = { human: 0, hook: 0, mcp: 0, tool: 0 };
  #stopLooking: (() => void) | undefined;

  constructor(options: TurnWatchOptions) {
    this.#options = options;
    // Whoever inspects the machines wants to see each of them.
    if (options.inspect !== undefined) this.#actor = this.#start();
  }

  /** Whether a turn is owed by the CLI: from the delivery of a prompt to the result. */
  setOwed(isOwed: boolean): void {
    if (isOwed === this.#isOwed) return;
    this.#isOwed = isOwed;
    if (!isOwed) this.#openWork?.turnEnded();
    this.#look(isOwed);
    this.#report();
  }

  /** How many tasks run beside the turns. */
  setBackground(count: number): void {
    if (count === this.#background) return;
    this.#background = count;
    this.#report();
  }

  /** One conversation line of the CLI. Costs a moment and a look at its bytes. */
  take(message: CliMessage): void {
    const { line } = message;
    const isRepeated = this.#isFormer(line, 0, line.length);
    this.#former = message;
    if (isRepeated) return;
    const frame = frameOf(message);
    if (!this.#work.take(frame)) {
      if (frame.frameClass !== 'noise' && !this.#isOwed) this.#sign('liveness');
      return;
    }
    if (message.type === 'result') this.#work.turnEnded();
    this.#sign(frame.frameClass);
    if (message.type === 'result' || frame.opens.length + frame.closes.length > 0) this.#report();
  }

  /** Many pieces of a text at once: they are progress as each of them is, unless all are the same line again. */
  takeRun(run: LineRun): void {
    const { bytes, count, ends } = run;
    let index = 0;
    while (index < count && this.#isFormer(bytes, run.start(index), ends[index] ?? 0)) index += 1;
    if (index === count) return;
    this.#keepFormer(bytes, run.start(count - 1), ends[count - 1] ?? 0);
    this.#sign('progress');
  }

  /** The handler of a request of the CLI, with the time it takes known as a wait for that. */
  during(kind: 'human' | 'hook' | 'mcp', handler: RequestHandler): RequestHandler {
    return async (incoming) => {
      if (requestClass(incoming.subtype, incoming.request) !== 'progress') {
        this.#sign('liveness');
        return handler(incoming);
      }
      this.#asked(kind, 1);
      const end = once(() => this.#asked(kind, -1));
      incoming.signal.addEventListener('abort', end, { once: true });
      let answer: unknown;
      try {
        answer = await handler(incoming);
        return answer;
      } finally {
        incoming.signal.removeEventListener('abort', end);
        if (!incoming.signal.aborted && isRefused(incoming, answer)) this.#work.refused(incoming.request);
        end();
      }
    };
  }

  /** What it will do if nothing happens, in the time of its clock. */
  deadlines(): readonly WatchDeadline[] {
    this.#report();
    const snapshot = this.#actor?.getSnapshot();
    return snapshot?.status === 'active' ? watchDeadlines(snapshot.context) : [];
  }

  /** The process is ending: nothing of it is watched any more. */
  stop(): void {
    this.#isStopped = true;
    this.#look(false);
    this.#actor?.stop();
  }

  /** What its machine is told when it asks. */
  present(): WatchReport {
    return {
      at: this.#options.clock.now(),
      isOwed: this.#isOwed,
      background: this.#background,
      waits: this.#work.counts(),
      progressAt: this.#progressAt,
      livedAt: this.#livedAt,
    };
  }

  get #work(): OpenWork {
    this.#openWork ??= new OpenWork();
    return this.#openWork;
  }

  #start(): Actor<typeof watchdogMachine> {
    const { id, incarnation, timeouts, clock, inspect, onNotice } = this.#options;
    const actor = createActor(MACHINE, {
      input: { id, incarnation, limits: watchLimits(timeouts) },
      clock,
      ...(inspect === undefined ? {} : { inspect }),
    });
    WATCHES.give(actor, this);
    actor.on('*', (notice) => onNotice(notice));
    actor.subscribe((snapshot) => {
      this.#isEager = snapshot.matches('warned') || snapshot.matches('interrupting');
    });
    return actor.start();
  }

  #report(): void {
    const report = this.present();
    // The look at the clock may have told that the host stood still, and who heard that may have ended the process.
    if (this.#isStopped) return;
    this.#toldWaits = report.waits;
    if (this.#actor === undefined && clockOf(report) === null) return;
    this.#actor ??= this.#start();
    if (this.#actor.getSnapshot().status === 'active') this.#actor.send({ type: 'watch.reported', report });
  }

  #isFormer(bytes: Buffer, start: number, end: number): boolean {
    const former = this.#former?.line ?? this.#formerLine;
    const length = this.#former?.line.length ?? this.#formerBytes;
    if (length !== end - start) return false;
    const tail = Math.min(length, ID_TAIL_BYTES);
    for (let at = 1; at <= tail; at += 1) if (former[length - at] !== bytes[end - at]) return false;
    return former.compare(bytes, start, end, 0, length) === 0;
  }

  #keepFormer(bytes: Buffer, start: number, end: number): void {
    this.#former = undefined;
    this.#formerBytes = end - start;
    if (this.#formerLine.length < this.#formerBytes) this.#formerLine = Buffer.allocUnsafeSlow(this.#formerBytes * 2);
    bytes.copy(this.#formerLine, 0, start, end);
  }

  #sign(frameClass: FrameClass): void {
    if (frameClass === 'noise') return;
    const at = this.#options.clock.now();
    this.#livedAt = at;
    if (frameClass === 'progress') this.#progressAt = at;
    // Signs of life end no wait for the model, however many there are.
    if (this.#isEager && (frameClass === 'progress' || clockOf(this.present()) !== 'model')) this.#report();
  }

  #asked(kind: 'human' | 'hook' | 'mcp', change: 1 | -1): void {
    this.#work.asked(kind, change);
    // A question is the turn's progress, and so is our answer: it is the CLI's turn from then on.
    this.#sign('progress');
    if (this.#isReportDue) return;
    this.#isReportDue = true;
    atEndOfTurn(this.#reportWaits);
  }

  /** What was asked and answered in one turn of the loop was no wait. */
  readonly #reportWaits = (): void => {
    this.#isReportDue = false;
    const { human, hook, mcp } = this.#work.counts();
    const told = this.#toldWaits;
    if (human !== told.human || hook !== told.hook || mcp !== told.mcp) this.#report();
  };

  #look(isWatching: boolean): void {
    this.#stopLooking?.();
    this.#stopLooking = isWatching ? this.#options.clock.watch(this.#options.onResumed) : undefined;
  }
}

/** A tool that is not allowed never runs: the CLI has to go on at once. */
function isRefused({ subtype }: IncomingRequest, answer: unknown): boolean {
  return subtype === 'can_use_tool' && !(isRecord(answer) && answer['behavior'] === 'allow');
}

function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    act();
  };
}
