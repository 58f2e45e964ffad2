import { type Profiler, Session } from 'node:inspector';

/** Which code of this thread ran, by V8's own count: to the block, without any instrumentation. */
export class BlockCoverage {
  readonly #session = new Session();
  readonly #counts: (url: string) => boolean;
  /** By script: for each character of it, whether it was reached. */
  readonly #reached = new Map<string, Uint8Array>();
  #blocks = 0;

  /** Code of other scripts than those that `counts` names is left out. */
  constructor(counts: (url: string) => boolean) {
    this.#counts = counts;
    this.#session.connect();
    this.#post('Profiler.enable');
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  /** So many stretches of code were reached for the first time. */
  get blocks(): number {
    return this.#blocks;
  }

  /** Forgets what ran since the last look. */
  reset(): void {
    this.#take();
  }

  /** Whether something ran since the last look that had not been reached; with `keeps` it counts as reached from now on. */
  isNew(keeps: boolean): boolean {
    let isNew = false;
    for (const { scriptId, url, functions } of this.#take()) {
      if (!this.#counts(url)) continue;
      for (const { ranges } of functions) {
        if ((ranges[0]?.count ?? 0) === 0) continue;
        if (this.#hasNew(scriptId, ranges, keeps)) isNew = true;
        if (isNew && !keeps) return true;
      }
    }
    return isNew;
  }

  close(): void {
    this.#post('Profiler.stopPreciseCoverage');
    this.#session.disconnect();
  }

  /** Ranges lie within each other, the outer one first; where an inner one is left out, it ran as often as the outer. */
  #hasNew(script: string, ranges: readonly Profiler.CoverageRange[], keeps: boolean): boolean {
    const [{ startOffset: from, endOffset: to } = { startOffset: 0, endOffset: 0 }] = ranges;
    const ran = new Uint8Array(to - from);
    for (const { startOffset, endOffset, count } of ranges)
      ran.fill(count > 0 ? 1 : 0, startOffset - from, endOffset - from);
    const reached = this.#reachedIn(script, to);
    let isNew = false;
    let wasNew = false;
    for (let at = 0; at < ran.length; at += 1) {
      const isNewHere = ran[at] === 1 && reached[from + at] === 0;
      if (isNewHere && !keeps) return true;
      if (isNewHere) reached[from + at] = 1;
      if (isNewHere && !wasNew) this.#blocks += 1;
      wasNew = isNewHere;
      isNew ||= isNewHere;
    }
    return isNew;
  }

  #reachedIn(script: string, length: number): Uint8Array {
    const known = this.#reached.get(script) ?? new Uint8Array(0);
    if (known.length >= length) return known;
    const longer = new Uint8Array(length);
    longer.set(known);
    this.#reached.set(script, longer);
    return longer;
  }

  #take(): readonly Profiler.ScriptCoverage[] {
    let taken: readonly Profiler.ScriptCoverage[] = [];
    // Answered before it returns: the profiler is that of this thread.
    this.#session.post('Profiler.takePreciseCoverage', (error, found) => {
      if (error === null) taken = found.result;
    });
    return taken;
  }

  #post(method: 'Profiler.enable' | 'Profiler.stopPreciseCoverage'): void {
    this.#session.post(method);
  }
}
