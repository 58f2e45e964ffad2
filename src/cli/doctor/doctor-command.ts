import type { Command } from 'commander';
import { DEFAULT_LIMITS } from '../../launch/defaults.ts';
import { currentHost } from '../../supervision/host.ts';
import { examples } from '../examples.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { jsonLine } from '../json-line.ts';
import { HIGHEST_PORT, wholeNumber } from '../numbers.ts';
import { write } from '../output.ts';
import { DEFAULT_PORT } from '../serve/serve-command.ts';
import { styleOf } from '../terminal/style.ts';
import { checkCli, checkLogin } from './cli-checks.ts';
import { type Finding, findingText } from './finding.ts';
import { checkLeftovers, checkMcpFiles, checkPort, checkStoreFile } from './place-checks.ts';
import { checkLimits, checkMemory, checkNode, systemFacts } from './system-checks.ts';

interface DoctorFlags {
  readonly json?: true;
  readonly cli?: string;
  readonly store?: string;
  readonly port: number;
  readonly mcpConfig?: string[];
  readonly maxSessions: number;
}

export function addDoctorCommand(program: Command, finish: (work: Promise<ExitCode>) => Promise<void>): void {
  const many = (value: string, former: string[] = []) => [...former, value];
  const command = program
    .command('doctor')
    .description('Looks whether everything is there that sessions need, and says what to do where it is not.')
    .option('--cli <path>', 'the claude executable (default: TROUPE_CLI, then claude on PATH)')
    .option('--store <file>', 'read this store, too, the whole of it')
    .option('--port <number>', 'the port of troupe serve', wholeNumber({ least: 1, most: HIGHEST_PORT }), DEFAULT_PORT)
    .option('--mcp-config <file>', 'this file of MCP servers instead of .mcp.json; may be repeated', many)
    .option(
      '--max-sessions <number>',
      'how many are to run at the same time',
      wholeNumber({ least: 1 }),
      DEFAULT_LIMITS.maxSessions,
    )
    .option('--json', 'a line of JSON for each finding')
    .action((flags: DoctorFlags) => finish(doctor(flags)));
  examples(command, [
    ['troupe doctor', 'the CLI, its login, Node, memory, limits, leftovers, the port'],
    ['troupe doctor --store sessions.db', 'the file of a store, too'],
    [`troupe doctor --json | jq 'select(.status != "ok")'`, 'for programs'],
  ]).addHelpText(
    'after',
    `
No secret is read: of a login only the name of its variable, or whether its file is there. Nothing is changed.
Exit codes: 0 no problem, warnings or not; 1 a problem; 2 wrong usage.`,
  );
}

async function doctor(flags: DoctorFlags): Promise<ExitCode> {
  const style = styleOf(process.stdout);
  let isWell = true;
  for await (const finding of findings(flags)) {
    isWell &&= finding.status !== 'problem';
    await write(flags.json === true ? jsonLine(finding) : `${findingText(finding, style)}\n`);
  }
  return isWell ? EXIT.done : EXIT.failed;
}

/** One after the other, so that what is slow keeps nothing else back. */
async function* findings(flags: DoctorFlags): AsyncGenerator<Finding> {
  const host = currentHost();
  const facts = systemFacts(flags.maxSessions);
  yield* checkNode(process.versions.node);
  yield* await checkCli(flags.cli ?? (host.env['TROUPE_CLI'] || undefined), host);
  yield checkLogin(host.env);
  yield* checkMcpFiles(flags.mcpConfig ?? [], host.cwd);
  yield checkMemory(facts);
  yield* checkLimits(facts);
  yield* await checkLeftovers();
  yield* await checkPort(flags.port, host.env);
  if (flags.store !== undefined) yield checkStoreFile(flags.store);
}
