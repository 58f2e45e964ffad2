// One stretch of the runs of `npm run simulate`, in a process of its own: a report in JSON on stdout, progress on stderr.
import { pathToFileURL } from 'node:url';

const [program, ...numbers] = process.argv.slice(2);
const { runLane } = await import(pathToFileURL(program).href);
const [from, runs] = numbers.map(Number);
// Chance is in the scripts alone.
Math.random = () => 0.5;
const report = await runLane({
  from,
  runs,
  onRun: (done, failed) => {
    if (done % 100 === 0 || done === runs) console.error(`seeds from ${from}: ${done} of ${runs}, ${failed} failed`);
  },
});
process.stdout.write(JSON.stringify(report));
