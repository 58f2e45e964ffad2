import type { Command } from 'commander';
import { checkStore } from '../../store/sqlite/check.ts';
import { openStoreReader } from '../../store/sqlite/reading.ts';
import { salvageStore } from '../../store/sqlite/salvage.ts';
import type { StoreReader } from '../../store/store.ts';
import { examples } from '../examples.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { jsonLine } from '../json-line.ts';
import { write } from '../output.ts';
import { exportTo, importFrom } from './move-session.ts';

interface JsonFlag {
  readonly json?: true;
}

interface StoreFlags extends JsonFlag {
  readonly store: string;
}

const JSON_OPTION = ['--json', 'a line of JSON, as docs/terminal.md describes it'] as const;

/** The commands that look into a store; all but `import` and `store salvage` only read, also while a supervisor has it open. */
export function addStoreCommands(program: Command, finish: (work: Promise<ExitCode>) => Promise<void>): void {
  const reading = (flags: StoreFlags, work: (reader: StoreReader) => Promise<ExitCode>): Promise<void> =>
    finish(withReader(flags.store, work));

  const exporting = program
    .command('export')
    .description('Writes one session as lines of JSON with sums: log, prompts, permission requests, ledger.')
    .argument('<id>', 'the session')
    .requiredOption('--store <file>', 'the store')
    .option('-o, --output <file>', 'a file that is not there yet (default: standard output)')
    .action((id: string, flags: StoreFlags & { output?: string }) =>
      reading(flags, (reader) => exportTo(reader, id, flags.output)),
    );
  examples(exporting, [
    ['troupe export review-1 --store troupe.db -o review-1.jsonl', 'to a file for nobody else'],
    ['troupe export review-1 --store troupe.db | zstd > review-1.zst', 'its lines are JSON anyway'],
  ]);
  const importing = program
    .command('import')
    .description('Takes a session that was exported, under the same id; nobody may have the store open.')
    .argument('[file]', 'what `troupe export` wrote; "-", or nothing, reads standard input')
    .requiredOption('--store <file>', 'the store; it is made when it is not there')
    .option(...JSON_OPTION)
    .action((file: string | undefined, flags: StoreFlags) => finish(importFrom(file, flags)));
  examples(importing, [['troupe import review-1.jsonl --store other.db', 'it goes on there']]);
  addCare(program.command('store').description('Looks after the file of a store.'), finish);
}

function addCare(store: Command, finish: (work: Promise<ExitCode>) => Promise<void>): void {
  const checking = store
    .command('check')
    .description('Reads the whole file and says whether it is as it should be.')
    .argument('<file>', 'the store')
    .option(...JSON_OPTION)
    .action((file: string, flags: JsonFlag) => finish(check(file, flags)));
  examples(checking, [['troupe store check troupe.db', 'exit code 1 where something is wrong']]);
  const salvaging = store
    .command('salvage')
    .description('Writes what can be read of a damaged store to a new file.')
    .argument('<file>', 'the damaged store; it stays as it is')
    .argument('<target>', 'a file that is not there yet')
    .option(...JSON_OPTION)
    .action((file: string, target: string, flags: JsonFlag) => finish(salvage(file, target, flags)));
  examples(salvaging, [['troupe store salvage troupe.db saved.db', 'then go on with saved.db']]);
}

/** Has a store open for reading while the work lasts. */
export async function withReader(path: string, work: (reader: StoreReader) => Promise<ExitCode>): Promise<ExitCode> {
  const reader = await openStoreReader(path);
  try {
    return await work(reader);
  } finally {
    await reader.close();
  }
}

async function check(path: string, { json }: JsonFlag): Promise<ExitCode> {
  const checked = checkStore(path);
  const { sessions, events, records, problems } = checked;
  if (json === true) await write(jsonLine(checked));
  else {
    for (const problem of problems) console.error(`troupe: ${problem}`);
    await write(`${events} events and ${records} records of ${sessions} sessions can be read\n`);
  }
  return problems.length === 0 ? EXIT.done : EXIT.failed;
}

async function salvage(path: string, target: string, { json }: JsonFlag): Promise<ExitCode> {
  const salvaged = await salvageStore(path, target);
  const { sessions, events, records, lostEvents } = salvaged;
  await write(
    json === true
      ? jsonLine(salvaged)
      : `${events} events and ${records} records of ${sessions} sessions were saved, ${lostEvents} events are lost\n`,
  );
  return EXIT.done;
}
