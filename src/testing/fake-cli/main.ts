import { mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { FakeCli } from './fake-cli.ts';
import { Input } from './input.ts';
import { Journal } from './journal.ts';
import { engineLaunch } from './json-rpc-dialect.ts';
import { type Launch, readLaunch } from './launch.ts';
import { commandHooks } from './print-carrier.ts';
import type { Behaviour, JsonObject, Scenario } from './scenario.ts';
import { runRule, runSteps } from './steps.ts';

/** Exit code of a fake that nobody ended in time. */
const LIFETIME_EXIT_CODE = 99;

const EVIDENT_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

void main(process.argv[2] ?? '', process.argv.slice(3));

async function main(scenarioPath: string, argv: readonly string[]): Promise<void> {
  const folder = dirname(scenarioPath);
  const journal = new Journal(join(folder, 'journal.ndjson'));
  journal.add({ kind: 'start', argv, cwd: process.cwd(), env: { ...process.env } as Record<string, string> });
  const started = launchOrExit(argv);
  const { behaviour, origin } = behaviourOf(scenarioPath, folder);
  const launch = behaviour.dialect === 'json-rpc' ? engineLaunch(started) : started;
  const cli = new FakeCli(behaviour, launch, journal, folder, origin.rules);
  for (const name of EVIDENT_SIGNALS) process.on(name, () => cli.signal(name));
  setTimeout(() => {
    journal.add({ kind: 'exit', reason: 'lifetime', code: LIFETIME_EXIT_CODE });
    process.exit(LIFETIME_EXIT_CODE);
  }, cli.lifetimeMs);
  if (launch.isVersion) {
    process.stdout.write(`${cli.flavor.version} (Claude Code)\n`);
    return cli.leave(0, 'version');
  }
  const complaint = cli.complaint() ?? addServers(cli);
  if (complaint !== undefined) return cli.fatal(complaint);
  await runSteps(cli, cli.behaviour.atStart ?? [], {}, `${origin.atStart}atStart`);
  const atStart = cli.rules.find({ kind: 'start' });
  if (atStart !== undefined) void runRule(cli, atStart, {});
  if (launch.isPrint && launch.inputFormat !== 'stream-json') runOnce(cli);
  else readMessages(cli, journal);
}

function launchOrExit(argv: readonly string[]): Launch {
  try {
    return readLaunch(argv);
  } catch (error) {
    process.stderr.write(`Error: ${(error as Error).message}\n`);
    process.exit(1);
  }
}

/** Where in the scenario the rules and the first steps of this process stand: before them, that is. */
interface Origin {
  readonly rules: string;
  readonly atStart: string;
}

/** The n-th process takes the n-th entry of `perStart`; creating a file decides who is n-th. */
function behaviourOf(scenarioPath: string, folder: string): { behaviour: Behaviour; origin: Origin } {
  const { perStart, ...behaviour } = JSON.parse(readFileSync(scenarioPath, 'utf8')) as Scenario;
  if (perStart === undefined || perStart.length === 0) return { behaviour, origin: { rules: '', atStart: '' } };
  const index = numberOfStart(perStart.length, folder);
  const own = perStart[index] ?? {};
  const place = `perStart[${index}].`;
  const origin = { rules: own.rules === undefined ? '' : place, atStart: own.atStart === undefined ? '' : place };
  return { behaviour: { ...behaviour, ...own }, origin };
}

function numberOfStart(entries: number, folder: string): number {
  mkdirSync(join(folder, 'starts'), { recursive: true });
  for (let index = 0; index < entries - 1; index += 1) {
    try {
      openSync(join(folder, 'starts', String(index)), 'wx');
      return index;
    } catch {
      // Taken by an earlier process.
    }
  }
  return entries - 1;
}

/** Registers the in-process servers of `--mcp-config`; one without a name has strange effects (WIRE §3). */
function addServers(cli: FakeCli): string | undefined {
  for (const [name, server] of Object.entries(cli.launch.mcpServers)) {
    if (
      cli.behaviour.dialect === 'print' &&
      server.type === 'http' &&
      !cli.launch.permissionTool?.includes(`__${name}__`)
    )
      cli.mcp.add(name, 'initialize');
    if (server.type !== 'sdk') continue;
    if (typeof server.name === 'string') cli.mcp.add(name, cli.flavor.mcpConfigStart);
    else if (cli.flavor.namelessServer === 'exits-0') process.exit(0);
    else if (cli.flavor.namelessServer === 'exits-1') return 'Error: Invalid MCP configuration: name is required';
  }
  return undefined;
}

function readMessages(cli: FakeCli, journal: Journal): void {
  const input = new Input(journal, {
    isUntyped: cli.dialect.isUntyped === true,
    message: (message) => {
      const read = cli.dialect.read(message);
      if (read !== undefined) cli.receive(read);
    },
    fatal: (complaint) => cli.fatal(complaint),
  });
  process.stdin.on('data', (chunk: Buffer) => input.push(chunk));
  process.stdin.on('end', () => {
    input.end();
    cli.endInput();
  });
  process.stdin.on('error', () => cli.endInput());
}

/** `--print`: the prompt is an argument, or all of stdin (WIRE §16). */
function runOnce(cli: FakeCli): void {
  if (cli.behaviour.dialect === 'print') {
    cli.hooks = commandHooks(cli.launch.settings);
    cli.mcp.start('initialize');
  }
  const ask = (content: string) => {
    const message: JsonObject = { type: 'user', message: { role: 'user', content } };
    cli.receive(message);
    cli.endInput();
  };
  if (cli.launch.prompt !== undefined) {
    ask(cli.launch.prompt);
    return;
  }
  const chunks: Buffer[] = [];
  process.stdin.on('data', (chunk: Buffer) => chunks.push(chunk));
  process.stdin.on('end', () => ask(Buffer.concat(chunks).toString('utf8').trimEnd()));
}
