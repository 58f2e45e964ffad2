// The list of benchmarks; names on the command line (`npm run bench -- dashboard`) choose among them. Figures are ratios inside one run; each entry is a module with a `run()` that prints its own table.
const BENCHMARKS = [
  './bench-store.mjs',
  './bench-sustained.mjs',
  './bench-recovery.mjs',
  './bench-redaction.mjs',
  './bench-prewarm.mjs',
  './bench-streams.mjs',
  './bench-dashboard.mjs',
];

const names = process.argv.slice(2);
const chosen = BENCHMARKS.filter((path) => names.length === 0 || names.some((name) => path.includes(name)));
for (const path of chosen) await (await import(path)).run();
