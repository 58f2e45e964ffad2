// The moment at which the CLI wrote a line stands in the text of its token, on the clock that `process.hrtime` reads as well.
const BEFORE_TEXT =
  '{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"';
const DIGITS = 16;
const LINE_FEED = 0x0a;
const MARK = 'text":"';

/** Collects how long lines were under way, in microseconds. */
export class Stamps {
  #tookUs = [];

  ofText(text) {
    if (text.length === DIGITS) this.#add(text);
  }

  /** Of each token line in a chunk of whole lines. */
  ofLines(bytes) {
    let start = 0;
    do {
      const text = start + BEFORE_TEXT.length;
      if (bytes.latin1Slice(text - MARK.length, text) === MARK) this.#add(bytes.latin1Slice(text, text + DIGITS));
      start = bytes.indexOf(LINE_FEED, start) + 1;
    } while (start > 0 && start < bytes.length);
  }

  reset() {
    this.#tookUs = [];
  }

  quantile(share) {
    const sorted = this.#tookUs.toSorted((one, other) => one - other);
    return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  }

  get count() {
    return this.#tookUs.length;
  }

  #add(digits) {
    const [seconds, nanoseconds] = process.hrtime();
    this.#tookUs.push((seconds * 1e9 + nanoseconds - Number.parseInt(digits, 16)) / 1e3);
  }
}
