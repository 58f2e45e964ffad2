// `npm run bench` measures the table of targets. Names (`npm run bench -- dashboard`) choose among the benchmarks of single parts
// instead, which compare Troupe with itself; each is a module with a `run()` that prints its own table. What they need of the inside
// of Troupe they take from the sources.
import { register } from 'node:module';

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
else register('./typescript-loader.mjs', import.meta.url);
for (const path of chosen) await (await import(path)).run();
