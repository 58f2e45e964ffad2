import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { compileFakeCli } from './compile.mjs';
import { machine } from './machine.mjs';
import { play } from './play.mjs';
import { ROWS } from './rows.mjs';
import { asText, linesOf } from './table.mjs';
import { exitCodeOf } from './verdict.mjs';

const DIST = fileURLToPath(new URL('../../dist/src/index.js', import.meta.url));
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const USAGE = `npm run bench [-- --rows 1,5] [--quick] [--json] [--write]
  --rows    only these rows of the table
  --quick   fewer rounds: for a look, not for the page
  --json    the figures as JSON on stdout
  --write   puts the table into docs/performance.md
Ends with 0 when every target is met, 1 when one is missed, 2 when something could not be measured.
`;

/** The table of targets; resolves with the exit code. */
export async function main(words) {
  const options = readOptions(words);
  if (options === undefined) return 2;
  const { rows, isQuick, isJson, isWritten } = options;
  if (!existsSync(DIST)) {
    process.stderr.write('There is no dist to measure: run npm run build.\n');
    return 2;
  }
  const at = machine();
  let cli;
  try {
    cli = await compileFakeCli();
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    return 2;
  }
  const stop = new AbortController();
  const onSignal = () => stop.abort(new Error('The benchmark was stopped.'));
  for (const signal of SIGNALS) process.once(signal, onSignal);
  const lines = [];
  const problems = [];
  try {
    for (const row of rows) {
      const tell = (what) => process.stderr.write(`row ${row.row}: ${what}\n`);
      const played = await play(row, { cli: cli.path, isQuick, tell, stop: stop.signal });
      const told = linesOf(row, played.figures);
      lines.push(...told);
      problems.push(...played.problems.map((problem) => `row ${row.row}: ${problem}`));
      process.stderr.write(`${asText(told)}\n`);
    }
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    process.stderr.write('stopped\n');
    return 2;
  } finally {
    await cli.dispose();
    for (const signal of SIGNALS) process.off(signal, onSignal);
  }
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.stdout.write(
    isJson ? `${JSON.stringify({ machine: at, lines, problems }, null, 2)}\n` : `${asText(lines)}\n`,
  );
  process.stderr.write(`${tally(lines)}\n`);
  if (isWritten) await (await import('./page.mjs')).writePage(lines, at);
  return exitCodeOf(lines);
}

function tally(lines) {
  const counts = ['met', 'missed', 'not measured'].map((verdict) => [
    verdict,
    lines.filter((line) => line.verdict === verdict).length,
  ]);
  return counts.map(([verdict, count]) => `${count} ${verdict}`).join(', ');
}

function readOptions(words) {
  try {
    const flag = { type: 'boolean', default: false };
    const { values, positionals } = parseArgs({
      args: words,
      allowPositionals: true,
      options: { rows: { type: 'string' }, quick: flag, json: flag, write: flag, help: flag },
    });
    const named = [...positionals, ...(values.rows?.split(',') ?? [])].map(Number);
    const rows = named.length === 0 ? ROWS : named.map((number) => ROWS.find(({ row }) => row === number));
    if (values.help || rows.includes(undefined)) throw new Error(values.help ? '' : 'There is no such row.');
    return { rows, isQuick: values.quick, isJson: values.json, isWritten: values.write };
  } catch (error) {
    process.stderr.write(`${error.message}\n${USAGE}`);
    return undefined;
  }
}
