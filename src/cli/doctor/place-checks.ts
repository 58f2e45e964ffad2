import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { TroupeError } from '../../errors.ts';
import { checkStore } from '../../store/sqlite/check.ts';
import { fateOfHost } from '../../transport/host-mark.ts';
import { createOrphanFinder } from '../../transport/orphans.ts';
import { ALL_MARKS, readProcessTable } from '../../transport/process-table.ts';
import { parseRecord } from '../../wire/fields.ts';
import { findRunFiles } from '../link/run-file.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Processes that are named; of the others there is a number. */
const NAMED = 10;

/** Are there processes of sessions whose host is gone? */
export async function checkLeftovers(): Promise<Finding[]> {
  if (process.platform !== 'linux') return [];
  const orphans = createOrphanFinder(fateOfHost, process.pid).find(await readProcessTable(ALL_MARKS));
  if (orphans.length === 0) return [ok('leftovers', 'no process of an earlier Troupe is left')];
  const named = orphans.slice(0, NAMED).map(({ entry, mark }) => `${entry.pid} (${mark.split(':')[0] ?? ''})`);
  const others = orphans.length > NAMED ? ` and ${orphans.length - NAMED} more` : '';
  return [
    warning(
      'leftovers',
      `processes of sessions whose Troupe is gone: ${named.join(', ')}${others}`,
      'The next troupe serve or troupe run ends them.',
    ),
  ];
}

/** Is the address of `troupe serve` free, or its own? */
export async function checkPort(port: number, env: Environment): Promise<Finding[]> {
  const { servers, ignored } = await findRunFiles(env);
  const own = servers.find(({ url }) => new URL(url).port === String(port));
  const stale = ignored.map(({ path, reason }) =>
    warning(
      'run-file',
      `${path} is of no use: ${reason}`,
      `rm ${path}, or start troupe serve, which takes away those of servers that are gone.`,
    ),
  );
  if (own !== undefined) return [ok('port', `a troupe serve (pid ${own.pid}) is at ${own.url}`), ...stale];
  const code = await listenError(port);
  if (code === undefined) return [ok('port', `port ${port} is free`), ...stale];
  const message =
    code === 'EADDRINUSE' ? `port ${port} is in use by another program` : `port ${port} cannot be used: ${code}`;
  return [warning('port', message, 'troupe serve --port <another>, or --port 0 for any that is free.'), ...stale];
}

/** Is the file of a store as it should be? */
export function checkStoreFile(path: string): Finding {
  try {
    const { sessions, events, problems } = checkStore(path);
    const [first, ...others] = problems;
    if (first === undefined) return ok('store', `${path}: ${events} events of ${sessions} sessions can be read`);
    const more = others.length > 0 ? ` and ${others.length} more` : '';
    return problem('store', `${path}: ${first}${more}`, `troupe store salvage ${path} <new file>`);
  } catch (error) {
    if (!TroupeError.is(error)) throw error;
    const remedy =
      error.code === 'STORE_DAMAGED' ? `troupe store salvage ${path} <new file>` : 'Give the file of a store: --store.';
    return problem('store', `${path}: ${error.message}`, remedy);
  }
}

/**
 * Does a file of MCP servers name those of type `sdk`? Releases drop such a server without a word, or end with it (WIRE §3). Without files
 * that of the project is looked at, if there is one.
 */
export function checkMcpFiles(files: readonly string[], cwd: string): Finding[] {
  const own = join(cwd, '.mcp.json');
  return files.length > 0
    ? files.map((file) => checkMcpFile(file, true))
    : [checkMcpFile(own, false)].filter(({ message }) => message !== '');
}

function checkMcpFile(path: string, isNamed: boolean): Finding {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return isNamed
      ? problem('mcp', `${path} cannot be read`, 'Give a file that is there: --mcp-config.')
      : ok('mcp', '');
  }
  const document = parseRecord(text);
  const servers = document === undefined ? undefined : recordIn(document, 'mcpServers');
  if (servers === undefined)
    return problem('mcp', `${path} is no {"mcpServers":{…}}`, 'Write it as the CLI takes it, in JSON.');
  const nameless = Object.entries(servers).filter(([, server]) => isNameless(server));
  if (nameless.length === 0) return ok('mcp', `${path}: ${Object.keys(servers).length} servers`);
  const names = nameless.map(([name]) => name).join(', ');
  return problem(
    'mcp',
    `${path}: servers of type "sdk" without a "name": ${names}`,
    'Add "name" to each: without it the CLI drops the server or ends.',
  );
}

function isNameless(server: unknown): boolean {
  if (typeof server !== 'object' || server === null || !('type' in server) || server.type !== 'sdk') return false;
  return !('name' in server) || typeof server.name !== 'string' || server.name === '';
}

function recordIn(document: Readonly<Record<string, unknown>>, name: string): object | undefined {
  const value = document[name];
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
}

function listenError(port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(undefined)));
  });
}
