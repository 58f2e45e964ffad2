// The list of benchmarks. Figures are ratios inside one run; each entry is a module with a `run()` that prints its own table.
const BENCHMARKS = [];

if (BENCHMARKS.length === 0) console.log('No benchmark is registered yet.');
for (const path of BENCHMARKS) await (await import(path)).run();
