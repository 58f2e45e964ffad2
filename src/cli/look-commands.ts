import type { Command } from 'commander';
import { examples, exitCodes } from './examples.ts';
import type { ExitCode } from './exit-codes.ts';
import { withSession } from './fleet/meant-session.ts';
import { showRemoteHistory, showRemoteLog } from './fleet/remote-log.ts';
import { listSessions } from './fleet/session-commands.ts';
import { watchFleet } from './fleet/watch-command.ts';
import { type LinkFlags, linkOptions, serverLink } from './link/server-link.ts';
import { wholeNumber } from './numbers.ts';
import { showHistory, showLog } from './store/log-command.ts';
import { showSessions } from './store/session-list.ts';
import { withReader } from './store/store-commands.ts';

interface LookFlags extends LinkFlags {
  readonly store?: string;
  readonly json?: true;
}

type LogFlags = LookFlags & { readonly follow?: true; readonly from?: number };

/** The commands that look at sessions: those of a server, or with `--store` those of a file, which is only read. */
export function addLookCommands(program: Command, finish: (work: Promise<ExitCode>) => Promise<void>): void {
  const ps = lookCommand(program, 'ps', 'Lists the sessions.')
    .option('-w, --watch', 'go on with what changes, in a table on the whole terminal')
    .action((flags: LookFlags & { watch?: true }) => finish(list(flags)));
  examples(ps, [
    ['troupe ps', 'the sessions of the server that runs here'],
    ['troupe ps --watch', 'live; q leaves'],
    ['troupe ps --json | jq -r .id', 'a line of JSON for each'],
    ['troupe ps --store troupe.db', 'those in a file, also without a server'],
  ]);
  const logs = lookCommand(program, 'logs', 'Shows the log of a session, event by event.')
    .argument('<session>', 'the session')
    .option('-f, --follow', 'go on with what is written, until Ctrl-C')
    .option('--from <seq>', 'begin with this event (default: the first that is kept)', wholeNumber({ least: 1 }))
    .action((id: string, flags: LogFlags) => finish(logOf(id, flags)));
  examples(logs, [
    ['troupe logs review-1 -f', 'what was, and what comes'],
    ['troupe logs review-1 --json --from 100', 'whole events, from number 100 on'],
  ]);
  const history = lookCommand(program, 'history', 'Shows the states a session was in, and what led to them.')
    .argument('<session>', 'the session')
    .action((id: string, flags: LookFlags) => finish(historyOf(id, flags)));
  examples(history, [['troupe history review-1', 'its states, without its conversation']]);
}

async function list(flags: LookFlags & { watch?: true }): Promise<ExitCode> {
  if (flags.store !== undefined) return withReader(flags.store, (reader) => showSessions(reader, flags));
  const client = await serverLink(flags);
  return flags.watch === true ? watchFleet(client, flags) : listSessions(client, flags);
}

async function logOf(id: string, flags: LogFlags): Promise<ExitCode> {
  if (flags.store !== undefined) return withReader(flags.store, (reader) => showLog(reader, id, flags));
  const client = await serverLink(flags);
  return withSession(client, id, () => showRemoteLog(client, id, flags));
}

async function historyOf(id: string, flags: LookFlags): Promise<ExitCode> {
  if (flags.store !== undefined) return withReader(flags.store, (reader) => showHistory(reader, id, flags));
  const client = await serverLink(flags);
  return withSession(client, id, () => showRemoteHistory(client, id, flags));
}

function lookCommand(program: Command, name: string, description: string): Command {
  const command = linkOptions(program.command(name).description(description))
    .option('--store <file>', 'look into this store instead of asking a server; it is only read')
    .option('--json', 'lines of JSON, as docs/terminal.md describes them');
  return exitCodes(command);
}
