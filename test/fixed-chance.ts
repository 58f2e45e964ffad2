import fc from 'fast-check';

/** A build repeats: every property begins with this seed, unless `npm run fuzz` gives another. */
fc.configureGlobal({ seed: Number(process.env['TROUPE_FUZZ_SEED'] ?? 1), numRuns: runs(100) });

/** How often a property is tried: `npm run fuzz` multiplies it. */
export function runs(count: number): number {
  return count * Number(process.env['TROUPE_FUZZ_FACTOR'] ?? 1);
}
