import fc from 'fast-check';

fc.configureGlobal({ seed: seed(), numRuns: runs(100) });

/** A build repeats: everything by chance begins with this seed, unless `npm run fuzz` gives another. */
export function seed(): number {
  return Number(process.env['TROUPE_FUZZ_SEED'] ?? 1);
}

/** How often a property is tried: `npm run fuzz` multiplies it. */
export function runs(count: number): number {
  return count * Number(process.env['TROUPE_FUZZ_FACTOR'] ?? 1);
}
