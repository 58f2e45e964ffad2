import { StringDecoder } from 'node:string_decoder';

const NOTHING = Buffer.alloc(0);

/** Keeps the last `limitBytes` of a byte stream, whatever the size of the stream or of its chunks (R24). */
export class StderrTail {
  readonly #limitBytes: number;
  #ring = NOTHING;
  #totalBytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  push(chunk: Buffer): void {
    const limitBytes = this.#limitBytes;
    // Most processes never write to stderr, so the memory is taken with the first byte.
    if (this.#ring.length === 0) this.#ring = Buffer.alloc(limitBytes);
    const kept = chunk.subarray(Math.max(0, chunk.length - limitBytes));
    const start = limitBytes === 0 ? 0 : (this.#totalBytes + chunk.length - kept.length) % limitBytes;
    const copied = kept.copy(this.#ring, start);
    kept.copy(this.#ring, 0, copied);
    this.#totalBytes += chunk.length;
  }

  /** The kept bytes as text; a character cut at either end is left out. */
  text(): string {
    const ring = this.#ring;
    if (this.#totalBytes <= this.#limitBytes) return decodeWhole(ring.subarray(0, this.#totalBytes));
    const oldest = this.#totalBytes % this.#limitBytes;
    return decodeWhole(withoutCutStart(Buffer.concat([ring.subarray(oldest), ring.subarray(0, oldest)])));
  }
}

/** UTF-8 characters are at most four bytes long, so at most three bytes can be the rest of a cut one. */
const LONGEST_REST_BYTES = 3;

function withoutCutStart(bytes: Buffer): Buffer {
  let start = 0;
  while (start < LONGEST_REST_BYTES && isContinuation(bytes[start])) start += 1;
  return bytes.subarray(start);
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0b1100_0000) === 0b1000_0000;
}

function decodeWhole(bytes: Buffer): string {
  return new StringDecoder('utf8').write(bytes);
}
