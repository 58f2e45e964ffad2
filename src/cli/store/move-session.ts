import { rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { exportSession } from '../../store/export-session.ts';
import { importSession } from '../../store/import-session.ts';
import { openSqliteStore } from '../../store/sqlite/sqlite-store.ts';
import type { StoreReader } from '../../store/store.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { jsonLine } from '../json-line.ts';
import { write } from '../output.ts';
import { plainLine } from '../terminal/plain-text.ts';

/** To standard output, or to a new file for nobody else; a file that could not be completed is taken away again. */
export async function exportTo(reader: StoreReader, id: string, path: string | undefined): Promise<ExitCode> {
  if (path === undefined) {
    for await (const line of exportSession(reader, id)) await write(line);
    return EXIT.done;
  }
  const file = await open(path, 'wx', 0o600);
  try {
    for await (const line of exportSession(reader, id)) await file.write(line);
    await file.sync();
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  return EXIT.done;
}

/** From a file, or from standard input. */
export async function importFrom(
  path: string | undefined,
  { store: storePath, json }: { readonly store: string; readonly json?: true },
): Promise<ExitCode> {
  const input = path === undefined || path === '-' ? process.stdin : (await open(path)).createReadStream();
  const store = await openSqliteStore(storePath);
  try {
    const imported = await importSession(store, linesOf(input));
    const { sessionId, events, records } = imported;
    await write(
      json === true ? jsonLine(imported) : `${plainLine(sessionId)}: ${events} events and ${records} records\n`,
    );
    return EXIT.done;
  } finally {
    await store.close();
  }
}

/** Only a line feed ends a line: texts may hold every other separator. */
async function* linesOf(input: NodeJS.ReadableStream): AsyncGenerator<string> {
  input.setEncoding('utf8');
  let pieces: string[] = [];
  for await (const chunk of input) {
    const parts = String(chunk).split('\n');
    const last = parts.pop() ?? '';
    for (const part of parts) {
      yield [...pieces, part].join('');
      pieces = [];
    }
    pieces.push(last);
  }
  const rest = pieces.join('');
  if (rest !== '') yield rest;
}
