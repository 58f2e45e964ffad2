import { StringDecoder } from 'node:string_decoder';

export interface StderrTail {
  push(chunk: Buffer): void;
  /** The kept bytes as text; a character cut at either end is left out. */
  text(): string;
}

/** Keeps the last `limitBytes` of a byte stream, whatever the size of the stream or of its chunks (R24). */
export function createStderrTail(limitBytes: number): StderrTail {
  let ring = Buffer.alloc(0);
  let totalBytes = 0;

  function push(chunk: Buffer): void {
    // Most processes never write to stderr, so the memory is taken with the first byte.
    if (ring.length === 0) ring = Buffer.alloc(limitBytes);
    const kept = chunk.subarray(Math.max(0, chunk.length - limitBytes));
    const start = limitBytes === 0 ? 0 : (totalBytes + chunk.length - kept.length) % limitBytes;
    const copied = kept.copy(ring, start);
    kept.copy(ring, 0, copied);
    totalBytes += chunk.length;
  }

  function text(): string {
    if (totalBytes <= limitBytes) return decodeWhole(ring.subarray(0, totalBytes));
    const oldest = totalBytes % limitBytes;
    return decodeWhole(withoutCutStart(Buffer.concat([ring.subarray(oldest), ring.subarray(0, oldest)])));
  }

  return { push, text };
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
