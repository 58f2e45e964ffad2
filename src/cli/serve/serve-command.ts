import { join, resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import type { Command } from 'commander';
import { TroupeError } from '../../errors.ts';
import type { SupervisorOptions } from '../../launch/supervisor-options.ts';
import type { Server } from '../../server/server.ts';
import type { ServerOptions } from '../../server/server-options.ts';
import type { Supervisor } from '../../supervision/supervisor.ts';
import { examples } from '../examples.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { LEAVE_EXIT, type LeaveReason } from '../leave.ts';
import { removeStaleRunFiles, stateFolder, writeRunFile } from '../link/run-file.ts';
import { HIGHEST_PORT, wholeNumber } from '../numbers.ts';
import { leaveSoon, serveStdio } from './serve-stdio.ts';

export interface ServeFlags {
  host?: string;
  port?: number;
  stdio?: true;
  tcp?: number;
  store?: string;
  takeover?: true;
  tokenFile?: string;
  root?: string[];
  openOption?: string[];
  openControl?: string[];
  allowHost?: string[];
  behindTlsProxy?: true;
  dashboard?: boolean;
  maxSessions?: number;
  cli?: string;
  drain?: number;
  json?: true;
}

/** What `troupe serve` needs of the world. */
export interface ServeWorld {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly tell: (line: string) => void;
  readonly write: (text: string) => void;
  /** Standard input and output, once they belong to a front end. */
  readonly streams: () => { readonly input: Readable; readonly output: Writable };
  /** `leaveMs`: the longest it may take to leave. */
  readonly onLeave: (listener: (why: LeaveReason) => void, leaveMs: number) => () => void;
  readonly createSupervisor: (options: SupervisorOptions) => Supervisor;
  /** Makes what follows a supervisor from its first event on. */
  readonly logging: () => Promise<(supervisor: Supervisor) => void>;
}

export const DEFAULT_PORT = 8787;
/** How long turns may go on after the first signal. */
const DRAIN_SECONDS = 8;
/** For what comes after the turns: interrupts, the ladder of the processes, the store. */
const LEAVE_MS = 60_000;
/** After a takeover: how often, and after which pause, an address that is still taken is tried again. */
const [ADDRESS_TRIES, ADDRESS_PAUSE_MS] = [150, 100];

const PORT = wholeNumber({ most: HIGHEST_PORT });

export function addServeCommand(program: Command, world: ServeWorld, done: (work: Promise<ExitCode>) => Promise<void>) {
  const many = (value: string, former: string[] = []) => [...former, value];
  const command = program
    .command('serve')
    .description('Serves sessions over HTTP, with a page to watch and answer them.')
    .option('--host <address>', 'the address to listen on', '127.0.0.1')
    .option('--port <number>', 'the port; 0 for any that is free', PORT, DEFAULT_PORT)
    .option('--tcp <port>', 'serve front ends that speak JSON-RPC on this port of 127.0.0.1, too; 0 for any', PORT)
    .option('--stdio', 'serve one front end that speaks JSON-RPC on standard input and output, and no HTTP')
    .option('--store <file>', 'keep the sessions in this file; those in it go on')
    .option('--takeover', 'where another process has the store: ask it to hand its sessions over, and wait for it')
    .option('--token-file <file>', 'the tokens; made with mode 0600 where there is none')
    .option('--root <folder>', 'a folder in which sessions may work; may be repeated (default: this one)', many)
    .option(
      '--open-option <name>',
      'let this option of a session be given over HTTP, such as mcpServers; may be repeated',
      many,
    )
    .option('--open-control <subtype>', 'let this control request be sent over HTTP; may be repeated', many)
    .option('--allow-host <name>', 'answer for this host name, too; may be repeated', many)
    .option('--behind-tls-proxy', 'something in front speaks TLS: other addresses than loopback are allowed')
    .option('--no-dashboard', 'serve the API alone')
    .option('--max-sessions <number>', 'sessions with a process at the same time', wholeNumber({ least: 1 }))
    .option(
      '--drain <seconds>',
      'how long turns may go on after a signal',
      wholeNumber({ most: 86_400 }),
      DRAIN_SECONDS,
    )
    .option('--cli <path>', 'the claude executable (default: TROUPE_CLI, then claude on PATH)')
    .option('--json', 'print one line of JSON instead of text')
    .addHelpText(
      'after',
      `
The address that is printed logs a browser in, once. Programs send a token of the token file: Authorization: Bearer …
A front end of --tcp sends the token as "token" of initialize; one of --stdio needs none, and the command ends with it.
SIGTERM and Ctrl-C drain: nothing new begins, turns may end, then everything is stopped. A second one stops it at once.`,
    )
    .action(async (flags: ServeFlags) => done(serve(flags, world)));
  examples(command, [
    ['troupe serve', 'for this folder, on 127.0.0.1'],
    ['troupe serve --store troupe.db --root ~/work', 'sessions outlive it; they may work in another folder'],
    ['troupe serve --port 0 --json | jq -r .url', 'for programs, on a port that is free'],
  ]);
}

/** Serves until it is asked to leave. */
export async function serve(flags: ServeFlags, world: ServeWorld): Promise<ExitCode> {
  const { createServer } = await import('../../server/server.ts');
  const cli = flags.cli ?? (world.env['TROUPE_CLI'] || undefined);
  const drainMs = Math.max(1, (flags.drain ?? DRAIN_SECONDS) * 1000);
  if (flags.stdio === true && flags.tcp !== undefined)
    throw new TroupeError('INVALID_OPTIONS', { reason: '--stdio serves one front end: --tcp is none of it.' });
  if (flags.takeover === true && flags.store === undefined)
    throw new TroupeError('INVALID_OPTIONS', { reason: '--takeover needs --store.' });
  const left = leaving(world, drainMs + LEAVE_MS);
  const follow = await world.logging();
  const supervisor = world.createSupervisor({
    ...(flags.store === undefined ? {} : { store: flags.store }),
    ...(flags.takeover === true ? { takeover: true } : {}),
    ...(cli === undefined ? {} : { pathToClaudeCodeExecutable: cli }),
    ...(flags.maxSessions === undefined ? {} : { limits: { maxSessions: flags.maxSessions } }),
  });
  follow(supervisor);
  let unannounce = () => {};
  try {
    if (flags.stdio === true) {
      await supervisor.recovered;
      const server = await stdioServer(flags, world, supervisor, drainMs);
      return await serveStdio({ supervisor, server, left, drainMs, tell: world.tell });
    }
    const recovered = await supervisor.recovered;
    const server = await listening(
      () => createServer(serverOptions(flags, world, supervisor)),
      flags.takeover === true,
    );
    unannounce = await announced(flags, world, server);
    const page = server.loginUrl();
    const sessions = recovered.sessions.length;
    if (flags.json === true)
      world.write(
        `${JSON.stringify({ url: server.url, loginUrl: page, sessions, pid: process.pid, tcp: server.tcpAddress })}\n`,
      );
    else {
      world.write(
        `Serving at ${server.url}${sessions > 0 ? `, with ${sessions} ${sessions === 1 ? 'session' : 'sessions'} of the store` : ''}.\n`,
      );
      world.write(`Open this once to log a browser in: ${page}\n`);
      if (server.tcpAddress !== undefined)
        world.write(`JSON-RPC at ${server.tcpAddress.host}:${server.tcpAddress.port}, with a token in initialize.\n`);
      world.write(`Tokens for programs: ${tokenFileOf(flags, world)}\n`);
    }
    const why = await Promise.race([left.first, stopped(supervisor)]);
    if (why === 'stopped') {
      await server.close();
      return EXIT.done;
    }
    world.tell('Leaving: turns may end; once more to stop at once.');
    const hurry = new AbortController();
    void left.second.then(() => hurry.abort());
    await supervisor.drain({ timeoutMs: drainMs, signal: hurry.signal });
    await server.close();
    return LEAVE_EXIT[why];
  } finally {
    unannounce();
    await supervisor.shutdown();
    left.stop();
    if (flags.stdio === true) leaveSoon();
  }
}

/** Tells the other commands of this user where it is. Who cannot write such a file serves all the same. */
async function announced(flags: ServeFlags, { env, tell }: ServeWorld, server: Server): Promise<() => void> {
  const { host, port } = server.address;
  const loopback = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host];
  const url = loopback === undefined ? server.url : `http://${loopback}:${port}`;
  const store = flags.store === undefined ? {} : { store: resolve(flags.store) };
  try {
    await removeStaleRunFiles(env);
    const remove = await writeRunFile(env, { url, token: server.token, startedAt: Date.now(), ...store });
    process.once('exit', remove);
    return () => {
      process.off('exit', remove);
      remove();
    };
  } catch (error) {
    tell(`No run file could be written: ${error instanceof Error ? error.message : String(error)}`);
    return () => {};
  }
}

async function stdioServer(flags: ServeFlags, world: ServeWorld, supervisor: Supervisor, drainMs: number) {
  const { serveFrontEnd } = await import('../../server/stream-server.ts');
  return serveFrontEnd({
    supervisor,
    ...world.streams(),
    name: 'stdio',
    drainMs,
    ...(flags.root === undefined ? {} : { roots: flags.root }),
    ...(flags.openOption === undefined ? {} : { openOptions: flags.openOption }),
  });
}

function serverOptions(flags: ServeFlags, world: ServeWorld, supervisor: Supervisor): ServerOptions {
  const tokenFile = tokenFileOf(flags, world);
  return {
    supervisor,
    host: flags.host ?? '127.0.0.1',
    port: flags.port ?? DEFAULT_PORT,
    ...(flags.tcp === undefined ? {} : { tcpPort: flags.tcp }),
    tokenFile,
    ...(flags.root === undefined ? {} : { roots: flags.root }),
    ...(flags.openOption === undefined ? {} : { openOptions: flags.openOption }),
    ...(flags.openControl === undefined ? {} : { openControls: flags.openControl }),
    ...(flags.allowHost === undefined ? {} : { allowedHosts: flags.allowHost }),
    ...(flags.behindTlsProxy === true ? { behindTlsProxy: true } : {}),
    ...(flags.dashboard === false ? { dashboard: false as const } : {}),
  };
}

/** Whoever handed the store over lets go of the address a little later. */
async function listening<T>(listen: () => Promise<T>, isTakeover: boolean): Promise<T> {
  for (let left = isTakeover ? ADDRESS_TRIES : 0; ; left -= 1) {
    try {
      return await listen();
    } catch (error) {
      const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
      if (!isTaken || left <= 0) throw error;
      await setTimeout(ADDRESS_PAUSE_MS);
    }
  }
}

/** A token that outlives the server lets a page go on after a restart. */
function tokenFileOf(flags: ServeFlags, { env }: ServeWorld): string {
  if (flags.tokenFile !== undefined) return flags.tokenFile;
  return join(stateFolder(env), 'tokens');
}

/** Somebody drained it over HTTP. */
function stopped(supervisor: Supervisor): Promise<'stopped'> {
  return new Promise((resolve) => {
    supervisor.on('event', (event) => {
      if (event.type === 'supervisor.phase-changed' && event.phase === 'stopped') resolve('stopped');
    });
  });
}

function leaving({ onLeave }: ServeWorld, leaveMs: number) {
  let count = 0;
  let tellFirst: (why: LeaveReason) => void = () => {};
  let tellSecond: () => void = () => {};
  const first = new Promise<LeaveReason>((resolve) => {
    tellFirst = resolve;
  });
  const second = new Promise<void>((resolve) => {
    tellSecond = resolve;
  });
  const stop = onLeave((why) => {
    count += 1;
    if (count === 1) tellFirst(why);
    else tellSecond();
  }, leaveMs);
  return { first, second, stop };
}
