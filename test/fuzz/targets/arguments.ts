import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { Command } from 'commander';
import { EXIT } from '../../../src/cli/exit-codes.ts';
import { createProgram, perform } from '../../../src/cli/program.ts';
import { type ServeFlags, serve } from '../../../src/cli/serve/serve-command.ts';
import { createServer, type Server } from '../../../src/server/server.ts';
import { createSupervisor, type Supervisor } from '../../../src/supervision/supervisor.ts';
import { memoryFleet } from '../../supervision/memory-cli.ts';
import { jsonOf, jsonSeeds } from '../json-input.ts';
import { type FuzzRunner, type FuzzTarget, holds, IN_MEMORY, shortened } from '../target.ts';

const TOKEN = 'owner-token-that-nobody-can-guess-0123456789';
const KNOWN_CODES: readonly unknown[] = Object.values(EXIT);
/** They start processes of their own, look at the machine, or end what the others ask; how far they read their arguments is tried. */
const NOT_DONE = ['run', 'record', 'drift', 'doctor', 'drain', 'import', 'salvage'];
/** Options and arguments that name a file or a folder. */
const PATHS = ['store', 'tokenFile', 'output', 'file', 'target', 'root'];
/** They go on until somebody leaves. */
const LEAVE_MS = 30;

export const target: FuzzTarget = {
  name: 'arguments',
  promise: 'P5, P9, P11 Whatever is typed behind troupe ends, with a code that is documented, and says what was wrong.',
  format: 'json',
  seeds: () => jsonSeeds(...everyCall()),
  open,
};

/** What commands are tried against. */
interface Stage {
  readonly folder: string;
  readonly supervisor: Supervisor;
  readonly server: Server;
}

async function open(): Promise<FuzzRunner> {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-fuzz-arguments-'));
  for (const name of ['state', 'home']) mkdirSync(join(folder, name), { mode: 0o700 });
  writeFileSync(join(folder, 'tokens'), `${TOKEN}\n`, { mode: 0o600 });
  writeFileSync(join(folder, 'fix.ndjson'), `${RECORDING.map((frame) => JSON.stringify(frame)).join('\n')}\n`);
  const supervisor = createSupervisor({ spawn: memoryFleet().open, ...IN_MEMORY });
  const tokens = [{ name: 'owner', token: TOKEN, scopes: ['read', 'answer', 'control'] as const }];
  const server = await createServer({ supervisor, tokens, dashboard: false, port: 0, timeouts: { closeMs: 100 } });
  const stage: Stage = { folder, supervisor, server };
  return {
    run: (input) => types(input, stage),
    close: async () => {
      await server.close();
      await supervisor.shutdown({ timeoutMs: 1_000 });
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function types(input: Buffer, stage: Stage): Promise<void> {
  const given = jsonOf(input);
  // The system hands over texts without NUL, and no half characters.
  const args = Array.isArray(given) ? given.filter((one) => typeof one === 'string').map(asTyped) : [];
  if (stage.supervisor.session('review-1') === undefined) await stage.supervisor.start({ id: 'review-1' });
  const { said, exitCode, hasBegun } = await inWorld(stage, (world) => typed(args, stage, world));
  const told = () =>
    `troupe ${shortened(JSON.stringify(args))} ended with ${String(exitCode)}: ${shortened(said, 600)}`;
  holds(exitCode === undefined || KNOWN_CODES.includes(exitCode), told);
  // Where something of ours was thrown that is no error for people, its stack is shown.
  holds(!/^ {4}at /m.test(said), told);
  holds(exitCode !== EXIT.usage || said.trim() !== '', told);
  holds(exitCode !== EXIT.usage || /option|argument|command|--|prompt|INVALID_OPTIONS/.test(said), told);
  holds(hasBegun || exitCode === EXIT.usage || said !== '', told);
  holds(!said.includes(TOKEN), told);
}

interface World {
  hasBegun: boolean;
}

async function typed(args: readonly string[], stage: Stage, world: World): Promise<void> {
  const program = createProgram('0');
  program.hook('preAction', async (_program, command) => {
    world.hasBegun = true;
    checkNumbers(command);
    keepInside(command, stage);
    if (command.name() === 'serve') await serves(command.opts(), stage);
    if (!isDone(command)) throw new NotDone();
  });
  await perform(program, ['node', 'troupe', ...args]);
}

/** Shown to people in an empty line, as what the system refuses. */
class NotDone extends Error {
  override readonly name = 'NotDone';
  readonly syscall = 'none';
}

function isDone(command: Command): boolean {
  const { serve: isServed, speed } = command.opts<{ serve?: true; speed?: number }>();
  return ![...NOT_DONE, 'serve'].includes(command.name()) && isServed !== true && speed === undefined;
}

function checkNumbers(command: Command): void {
  for (const [name, value] of Object.entries(command.opts())) {
    if (typeof value !== 'number') continue;
    holds(Number.isFinite(value) && value >= 0, `--${name} is ${value}.`);
    if (/port|tcp/.test(name)) holds(value <= 65_535, `--${name} is ${value}.`);
    // Longer than this no timer is: it would end at once.
    if (/timeout|drain/.test(name)) holds(value * 1_000 < Number.MAX_SAFE_INTEGER, `--${name} is ${value}.`);
  }
}

/** Nothing outside of the folder is read or written, and nobody else is asked. */
function keepInside(command: Command, { folder, server }: Stage): void {
  const inside = (path: string): string => join(folder, basename(path).slice(0, 100).replaceAll('\0', '') || 'x');
  for (const [name, value] of Object.entries(command.opts())) {
    if (name === 'server') {
      // One that is none is refused before anybody is asked.
      if (URL.canParse(String(value))) command.setOptionValue(name, server.url);
    } else if (PATHS.includes(name)) {
      command.setOptionValue(name, Array.isArray(value) ? [folder] : inside(String(value)));
    }
  }
  for (const [at, argument] of command.registeredArguments.entries()) {
    const value: unknown = command.processedArgs[at];
    if (PATHS.includes(argument.name()) && typeof value === 'string') command.processedArgs[at] = inside(value);
  }
}

/** Where it listens, it is told to leave at once. */
async function serves(flags: ServeFlags, { folder }: Stage): Promise<void> {
  const isLoopback = flags.host === undefined || flags.host === '127.0.0.1' || flags.behindTlsProxy === true;
  const { store: _file, cli: _any, ...rest } = flags;
  // It ends the program when it is done.
  if (flags.stdio === true && flags.tcp === undefined && flags.takeover === undefined) return;
  await serve(
    {
      ...rest,
      port: 0,
      drain: 1,
      ...(isLoopback ? { host: '127.0.0.1' } : {}),
      ...(flags.tcp === undefined ? {} : { tcp: 0 }),
      tokenFile: flags.tokenFile ?? join(folder, 'tokens'),
    },
    {
      env: { XDG_STATE_HOME: join(folder, 'state'), HOME: join(folder, 'home') },
      tell: () => {},
      write: () => {},
      streams: () => ({ input: new PassThrough().end(), output: new PassThrough().resume() }),
      onLeave: (leave) => {
        const timer = setTimeout(leave, LEAVE_MS, 'interrupted');
        return () => clearTimeout(timer);
      },
      createSupervisor: (options) =>
        createSupervisor({
          ...options,
          spawn: memoryFleet().open,
          reap: 'off',
          pathToClaudeCodeExecutable: process.execPath,
        }),
      logging: async () => () => {},
    },
  );
}

/** With standard output and error kept, a server that is found, and somebody who leaves soon. */
async function inWorld({ folder, server }: Stage, work: (world: World) => Promise<void>) {
  const { stdout, stderr, env } = process;
  const kept = { out: stdout.write, error: stderr.write, console: console.error, exitCode: process.exitCode };
  const before = { ...env };
  const exits = process.listeners('exit');
  const world: World = { hasBegun: false };
  let said = '';
  const keep = (text: unknown, ...rest: readonly unknown[]): boolean => {
    if (said.length < 2 ** 20) said += String(text);
    const done = rest.at(-1);
    if (typeof done === 'function') done();
    return true;
  };
  Object.assign(stdout, { write: keep });
  Object.assign(stderr, { write: keep });
  console.error = (text: unknown) => void keep(`${String(text)}\n`);
  Object.assign(env, { TROUPE_SERVER: server.url, TROUPE_TOKEN_FILE: join(folder, 'tokens') });
  Object.assign(env, { XDG_STATE_HOME: join(folder, 'state'), HOME: join(folder, 'home') });
  process.exitCode = undefined;
  const leaving = setInterval(() => process.emit('SIGINT', 'SIGINT'), LEAVE_MS);
  // A signal that nobody listens for would end the program.
  const nobody = () => {};
  process.on('SIGINT', nobody);
  try {
    await work(world);
    return { said: said.replace(/^troupe: \n/m, ''), exitCode: process.exitCode, hasBegun: world.hasBegun };
  } finally {
    clearInterval(leaving);
    process.off('SIGINT', nobody);
    Object.assign(stdout, { write: kept.out });
    Object.assign(stderr, { write: kept.error });
    console.error = kept.console;
    process.exitCode = kept.exitCode;
    for (const name of Object.keys(env)) if (!(name in before)) delete env[name];
    Object.assign(env, before);
    for (const listener of process.listeners('exit')) {
      if (!exits.includes(listener)) process.off('exit', listener);
    }
    for (const name of readdirSync(folder)) {
      if (!['tokens', 'fix.ndjson', 'state', 'home'].includes(name)) rmSync(join(folder, name), { recursive: true });
    }
  }
}

function asTyped(text: string): string {
  return Buffer.from(text).toString().replaceAll('\0', '').slice(0, 10_000);
}

/** Each command with each of its options, and a value where one belongs to it. */
function everyCall(): string[][] {
  return commandsOf(createProgram('0')).flatMap(({ path, command }) => {
    const own = command.registeredArguments.map((one) => VALUES[one.name()] ?? one.argChoices?.[0] ?? 'review-1');
    const calls = command.options.map((option) => [
      option.long ?? '',
      ...(option.required ? [option.argChoices?.[0] ?? VALUES[option.attributeName()] ?? '1'] : []),
    ]);
    return [[...path, ...own], path, [...path, '--help'], ...calls.map((call) => [...path, ...own, ...call])];
  });
}

function commandsOf(program: Command, path: readonly string[] = []): { path: string[]; command: Command }[] {
  return program.commands.flatMap((command) => {
    const own = [...path, command.name()];
    return [{ path: own, command }, ...commandsOf(command, own)];
  });
}

const VALUES: Readonly<Record<string, string>> = {
  file: 'fix.ndjson',
  prompt: 'Hello',
  question: 'review-1',
  host: '127.0.0.1',
  openOption: 'mcpServers',
  tokenFile: 'tokens',
  input: '{"command":"ls"}',
  allowedTools: 'Read,Bash(git *)',
  server: 'http://127.0.0.1:1',
};

const RECORDING = [
  { format: 'troupe-recording', version: 1, startedAt: '2026-01-01T00:00:00Z', session: 's' },
  { t: 1, p: 1, dir: '>', line: '{"type":"control_request","request_id":"r","request":{"subtype":"initialize"}}' },
  { t: 2, p: 1, dir: 'e', line: 'warning' },
];
