import type { Command } from 'commander';
import { checkStore } from '../../store/sqlite/check.ts';
import { openStoreReader } from '../../store/sqlite/reading.ts';
import { salvageStore } from '../../store/sqlite/salvage.ts';
import type { StoreReader } from '../../store/store.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { write } from '../output.ts';
import { exportTo, importFrom } from './move-session.ts';

interface StoreFlags {
  store: string;
  json?: true;
}

/** The commands that look into a store; all but `import` and `store salvage` only read, also while a supervisor has it open. */
export function addStoreCommands(program: Command, finish: (work: Promise<ExitCode>) => Promise<void>): void {
  const reading = (flags: StoreFlags, work: (reader: StoreReader) => Promise<ExitCode>): Promise<void> =>
    finish(withReader(flags.store, work));

  program
    .command('export')
    .description('Writes one session as lines of JSON with sums: log, prompts, permission requests, ledger.')
    .argument('<id>', 'the session')
    .requiredOption('--store <file>', 'the store')
    .option('-o, --output <file>', 'a file that is not there yet (default: standard output)')
    .action((id: string, flags: StoreFlags & { output?: string }) =>
      reading(flags, (reader) => exportTo(reader, id, flags.output)),
    );
  program
    .command('import')
    .description('Takes a session that was exported, under the same id; nobody may have the store open.')
    .argument('[file]', 'what `troupe export` wrote; "-", or nothing, reads standard input')
    .requiredOption('--store <file>', 'the store; it is made when it is not there')
    .action((file: string | undefined, flags: StoreFlags) => finish(importFrom(file, flags.store)));

  const store = program.command('store').description('Looks after the file of a store.');
  store
    .command('check')
    .description('Reads the whole file and says whether it is as it should be.')
    .argument('<file>', 'the store')
    .action((file: string) => finish(check(file)));
  store
    .command('salvage')
    .description('Writes what can be read of a damaged store to a new file.')
    .argument('<file>', 'the damaged store; it stays as it is')
    .argument('<target>', 'a file that is not there yet')
    .action((file: string, target: string) => finish(salvage(file, target)));
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

async function check(path: string): Promise<ExitCode> {
  const { sessions, events, records, problems } = checkStore(path);
  for (const problem of problems) console.error(`troupe: ${problem}`);
  await write(`${events} events and ${records} records of ${sessions} sessions can be read\n`);
  return problems.length === 0 ? EXIT.done : EXIT.failed;
}

async function salvage(path: string, target: string): Promise<ExitCode> {
  const { sessions, events, records, lostEvents } = await salvageStore(path, target);
  await write(
    `${events} events and ${records} records of ${sessions} sessions were saved, ${lostEvents} events are lost\n`,
  );
  return EXIT.done;
}
