const MAX_TRIES = 400;

/** A shorter input that fails in the same way, as far as leaving out pieces leads. */
export async function shrunk(input: Buffer, fails: (candidate: Buffer) => Promise<boolean>): Promise<Buffer> {
  let best = input;
  let tries = 0;
  for (let size = Math.ceil(best.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < best.length && tries < MAX_TRIES; ) {
      const candidate = Buffer.concat([best.subarray(0, at), best.subarray(at + size)]);
      tries += 1;
      if (await fails(candidate)) best = candidate;
      else at += size;
    }
  }
  return best;
}
