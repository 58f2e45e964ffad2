import type { Clock } from '../clock.ts';
import type { RecordedFrame, RecordedLine } from '../recording/recording.ts';
import { bindIds, kindOfLine, type LineDifference, lineDifference, type ReplayMatch } from './line-match.ts';
import { ReplayIds } from './replay-ids.ts';

/** `none`: at once. `recorded`: with the pauses that there were; a number: so many times as fast. */
export type ReplayTiming = 'none' | 'recorded' | number;

export interface ReplayOptions {
  /** Default `ids`. */
  readonly match?: ReplayMatch;
  /** Default `none`. */
  readonly timing?: ReplayTiming;
}

/** Where the host did something else than the recording has. */
export interface ReplayMismatch {
  /** Which line of the recording, from 1, the header left out. */
  readonly step: number;
  /** Where in the line they differ, as in `request.model`; empty for the whole line. */
  readonly place: string;
  readonly expected: string;
  readonly got: string;
}

/** One process of a recording, each frame with its number in the whole. */
export interface ReplayScript {
  readonly frames: readonly { readonly step: number; readonly frame: RecordedFrame }[];
}

export interface ReplayHands {
  output(bytes: Buffer): void;
  stderr(line: string): void;
  endOutput(): void;
  /** The last that is called. */
  exit(report: { readonly exitCode: number | null; readonly signal: string | null }): void;
  mismatch(mismatch: ReplayMismatch): void;
}

interface Expected {
  readonly step: number;
  readonly frame: RecordedLine;
  isHeard: boolean;
}

/** So many lines ahead of what it waits for a line of the host may be the recorded one, where ids are translated. */
const LINES_AHEAD = 8;
const MAX_SHOWN = 300;
const STATUS_OF = { SIGTERM: 143, SIGINT: 130 } as const;

/** What the n-th process of a recording said and heard. Processes that are not in it have no frames. */
export function scriptOf(frames: readonly RecordedFrame[], process: number): ReplayScript {
  const numbered = frames.map((frame, index) => ({ step: index + 1, frame }));
  return { frames: numbered.filter(({ frame }) => frame.process === process) };
}

/** Plays the CLI's part of one process of a recording: says its lines, and waits for the host's where it waited then. */
export class ReplayPeer {
  readonly #script: ReplayScript;
  readonly #hands: ReplayHands;
  readonly #clock: Clock;
  readonly #match: ReplayMatch;
  readonly #factor: number;
  readonly #ids = new ReplayIds();
  readonly #expected: readonly Expected[];
  #at = 0;
  #lastMs: number;
  #isPausing = false;
  #isInputOver = false;
  #isOver = false;

  constructor(script: ReplayScript, hands: ReplayHands, clock: Clock, options: ReplayOptions = {}) {
    const { match = 'ids', timing = 'none' } = options;
    this.#script = script;
    this.#hands = hands;
    this.#clock = clock;
    this.#match = match;
    this.#factor = timing === 'none' ? Number.POSITIVE_INFINITY : timing === 'recorded' ? 1 : timing;
    this.#expected = script.frames.flatMap(({ step, frame }) =>
      frame.direction === '>' ? [{ step, frame, isHeard: false }] : [],
    );
    this.#lastMs = script.frames[0]?.frame.atMs ?? 0;
  }

  start(): void {
    if (this.#script.frames.length === 0) {
      this.#tell(0, 'no further process', 'a start');
      this.#leave(1, null);
      return;
    }
    this.#play();
  }

  /** The host wrote a line. */
  heard(line: Buffer): void {
    if (this.#isOver) return;
    const waiting = this.#expected.filter(({ isHeard }) => !isHeard);
    const candidates = waiting.slice(0, this.#match === 'exact' ? 1 : LINES_AHEAD);
    let first: { readonly expected: Expected; readonly difference: LineDifference } | undefined;
    for (const expected of candidates) {
      const difference = lineDifference(expected.frame.bytes, line, this.#match, this.#ids);
      if (difference === undefined) {
        this.#take(expected);
        return;
      }
      const isOfItsKind = kindOfLine(expected.frame.bytes) === kindOfLine(line);
      if (isOfItsKind) first ??= { expected, difference };
    }
    if (first === undefined) {
      const [next] = candidates;
      this.#tell(next?.step ?? 0, next?.frame.bytes.toString() ?? 'nothing more', line.toString());
      return;
    }
    const { expected, difference } = first;
    this.#tell(expected.step, difference.expected, difference.got, difference.place);
    bindIds(expected.frame.bytes, line, this.#ids);
    this.#take(expected);
  }

  /** The host ended the input. */
  inputEnded(): void {
    this.#isInputOver = true;
    this.#play();
  }

  signalled(name: 'SIGTERM' | 'SIGINT'): void {
    if (this.#isOver) return;
    const exit = this.#recordedExit();
    this.#tellUnplayed(name);
    if (exit === undefined) this.#leave(STATUS_OF[name], null);
    else this.#leave(exit.exitCode, exit.signal);
  }

  #take(expected: Expected): void {
    expected.isHeard = true;
    this.#play();
  }

  #play(): void {
    while (!this.#isOver && !this.#isPausing) {
      const next = this.#script.frames[this.#at];
      if (next === undefined) {
        // The recording does not have its end: it ends as a CLI does when its input is over.
        if (this.#isInputOver) this.#leave(0, null);
        return;
      }
      if (this.#mustWait(next.frame, next.step)) return;
      if (this.#mustPause(next.frame)) return;
      this.#at += 1;
      this.#lastMs = next.frame.atMs;
      this.#do(next.frame);
    }
  }

  #mustWait(frame: RecordedFrame, step: number): boolean {
    if (frame.direction === 'n') {
      if (frame.note.kind === 'signal') return !this.#isInputOver;
      return frame.note.kind === 'input-ended' && !this.#isInputOver;
    }
    if (frame.direction !== '>' || this.#expected.find((one) => one.step === step)?.isHeard === true) return false;
    if (!this.#isInputOver) return true;
    this.#tellUnplayed('the end of the input');
    const exit = this.#recordedExit();
    this.#leave(exit?.exitCode ?? 0, exit?.signal ?? null);
    return true;
  }

  /** The host's own pauses are its own; only what the CLI took its time for is waited for. */
  #mustPause(frame: RecordedFrame): boolean {
    const ms = (frame.atMs - this.#lastMs) / this.#factor;
    if (frame.direction === '>' || !(ms >= 1)) return false;
    this.#isPausing = true;
    this.#lastMs = frame.atMs;
    this.#clock.setTimeout(() => {
      this.#isPausing = false;
      this.#play();
    }, ms);
    return true;
  }

  #do(frame: RecordedFrame): void {
    if (frame.direction === '<') {
      const line = this.#match === 'exact' ? frame.bytes : this.#ids.translated(frame.bytes);
      this.#hands.output(frame.isCut ? line : Buffer.concat([line, Buffer.from('\n')]));
    }
    if (frame.direction === 'e') this.#hands.stderr(frame.bytes.toString());
    if (frame.direction !== 'n') return;
    if (frame.note.kind === 'output-ended') this.#hands.endOutput();
    if (frame.note.kind === 'exit') this.#leave(frame.note.exitCode, frame.note.signal);
  }

  #recordedExit(): { readonly exitCode: number | null; readonly signal: string | null } | undefined {
    for (const { frame } of this.#script.frames) {
      if (frame.direction === 'n' && frame.note.kind === 'exit') return frame.note;
    }
    return undefined;
  }

  /** What the host was still to say, when it is too late for it. */
  #tellUnplayed(why: string): void {
    const next = this.#expected.find(({ isHeard }) => !isHeard);
    if (next !== undefined) this.#tell(next.step, next.frame.bytes.toString(), why);
  }

  #tell(step: number, expected: unknown, got: unknown, place = ''): void {
    this.#hands.mismatch({ step, place, expected: shown(expected), got: shown(got) });
  }

  #leave(exitCode: number | null, signal: string | null): void {
    this.#isOver = true;
    this.#hands.exit({ exitCode, signal });
  }
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
