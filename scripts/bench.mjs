// `npm run bench` measures the table of targets. Names (`npm run bench -- dashboard`) choose among the benchmarks of single parts
// instead, which compare Troupe with itself; each is a module with a `run()` that prints its own table.
const PARTS = [
  './bench-store.mjs',
  './bench-sustained.mjs',
  './bench-recovery.mjs',
  './bench-redaction.mjs',
  './bench-prewarm.mjs',
  './bench-streams.mjs',
  './bench-dashboard.mjs',
];

const words = process.argv.slice(2);
const chosen = PARTS.filter((path) => words.some((word) => /^[a-z]/.test(word) && path.includes(word)));
if (chosen.length === 0) process.exitCode = await (await import('./bench/main.mjs')).main(words);
for (const path of chosen) await (await import(path)).run();
