/** Inputs to begin with, of values. */
export function jsonSeeds(...values: readonly unknown[]): Buffer[] {
  return values.map((value) => Buffer.from(JSON.stringify(value)));
}

/** The value of an input, and undefined for one that is no JSON. */
export function jsonOf(input: Buffer): unknown {
  try {
    return JSON.parse(input.toString());
  } catch {
    return undefined;
  }
}
