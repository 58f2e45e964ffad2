// The list of benchmarks. Figures are ratios inside one run; each entry is a module with a `run()` that prints its own table.
const BENCHMARKS = [
  './bench-store.mjs',
  './bench-sustained.mjs',
  './bench-recovery.mjs',
  './bench-redaction.mjs',
  './bench-prewarm.mjs',
  './bench-streams.mjs',
];

for (const path of BENCHMARKS) await (await import(path)).run();
