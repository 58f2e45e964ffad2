import { performance } from 'node:perf_hooks';

const EVERY_MS = 1;

/** How long the event loop kept a timer of a millisecond waiting. */
export class LoopWatch {
  #lateMs = [];
  #last = performance.now();
  #timer = setInterval(() => this.#look(), EVERY_MS);

  /** What was until now does not count. */
  reset() {
    this.#lateMs = [];
    this.#last = performance.now();
  }

  get longestMs() {
    return this.#lateMs.reduce((longest, ms) => Math.max(longest, ms), 0);
  }

  /** The share of all looks that was late by at most so much. */
  quantileMs(share) {
    const sorted = Float64Array.from(this.#lateMs).sort();
    return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  }

  stop() {
    clearInterval(this.#timer);
  }

  #look() {
    const now = performance.now();
    this.#lateMs.push(Math.max(0, now - this.#last - EVERY_MS));
    this.#last = now;
  }
}
