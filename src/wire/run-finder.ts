import type { CliMessage } from './cli-message.ts';
import { DeltaLayout, viewOf } from './delta-layout.ts';
import { LineRun } from './line-run.ts';

/** Layouts that are tried: a turn changes between texts, thoughts and the input of tools. */
const MOST_LAYOUTS = 4;

/** Layouts that are looked for and bring no run, one after the other, before no more are looked for. */
const MOST_VAIN = 200;
/** A line that was cut by the end of a chunk is looked at once more up to this length. */
const MOST_JOINED_BYTES = 4 * 1024;
const LINE_FEED = Buffer.from('\n');

/** Finds the runs in the output of one process. Where it finds none, the lines are read one by one. */
export class RunFinder {
  readonly #maxLineBytes: number;
  /** The one that fitted last comes first. */
  readonly #layouts: DeltaLayout[] = [];
  #vain = 0;

  constructor({ maxLineBytes }: { readonly maxLineBytes: number }) {
    this.#maxLineBytes = maxLineBytes;
  }

  /** False while no run can be found. */
  get isReady(): boolean {
    return this.#layouts.length > 0;
  }

  /** The run that begins at `at`, where a line begins; as long as it gets. `view` looks at the same bytes as `chunk`. */
  find(chunk: Buffer, view: DataView, at: number): LineRun | undefined {
    const layouts = this.#layouts;
    for (let index = 0; index < layouts.length; index += 1) {
      const layout = layouts[index] as DeltaLayout;
      const run = this.#read(layout, chunk, view, at);
      if (run === undefined) continue;
      this.#vain = 0;
      if (index > 0) layouts.unshift(...layouts.splice(index, 1));
      return run;
    }
    return undefined;
  }

  /** A whole line that came in several chunks, where it makes a run of its own. */
  findIn(line: Buffer): LineRun | undefined {
    if (line.length > MOST_JOINED_BYTES || !this.isReady) return undefined;
    const bytes = Buffer.concat([line, LINE_FEED]);
    return this.find(bytes, viewOf(bytes), 0);
  }

  /** A line that was read by itself: those that follow may look like it. */
  learn(message: CliMessage): void {
    if (message.type !== 'stream_event' || message.isTranslated) return;
    if (this.#vain >= MOST_VAIN || !DeltaLayout.isLikely(message.raw)) return;
    this.#vain += 1;
    const layout = DeltaLayout.of(message.raw);
    if (layout === undefined) return;
    this.#layouts.unshift(layout);
    if (this.#layouts.length > MOST_LAYOUTS) this.#layouts.pop();
  }

  #read(layout: DeltaLayout, chunk: Buffer, view: DataView, start: number): LineRun | undefined {
    const ends: number[] = [];
    let at = start;
    for (let end = layout.lineEnd(chunk, view, at); end !== -1; end = layout.lineEnd(chunk, view, at)) {
      if (end - at > this.#maxLineBytes) break;
      ends.push(end - start);
      at = end + 1;
    }
    return ends.length === 0 ? undefined : new LineRun(chunk.subarray(start, at), ends.length, layout, ends);
  }
}
