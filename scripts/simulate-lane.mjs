// One stretch of the runs of `npm run simulate`, in a process of its own: a report in JSON on stdout, progress on stderr.
import { register } from 'node:module';

register('./typescript-loader.mjs', import.meta.url);
const { runLane } = await import('../test/simulation/campaign.ts');

const [from, runs] = process.argv.slice(2).map(Number);
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
