import { existsSync, readFileSync } from 'node:fs';
import { Command, CommanderError, Option } from 'commander';
import { type ErrorCode, TroupeError } from '../errors.ts';
import type { SessionOptions } from '../launch/session-options.ts';
import { createSupervisor, type Supervisor } from '../supervision/supervisor.ts';
import { logFleet } from '../telemetry/fleet-log.ts';
import { lowestOf, readLogLevels } from '../telemetry/log-levels.ts';
import { stderrLogger } from '../telemetry/stderr-logger.ts';
import { addAttachCommand } from './attach/attach-command.ts';
import { addCompletion } from './completion/completion-command.ts';
import { addDiagramCommand } from './diagram/diagram-command.ts';
import { addDoctorCommand } from './doctor/doctor-command.ts';
import { addDriftCommand } from './drift/drift-command.ts';
import { examples } from './examples.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { addFleetCommands } from './fleet/fleet-commands.ts';
import { onLeave, watchOutput } from './leave.ts';
import { addLookCommands } from './look-commands.ts';
import { seconds } from './numbers.ts';
import { promptText } from './prompt-text.ts';
import { addReplayCommand } from './replay/replay-command.ts';
import { askOnTerminal } from './run/ask-permission.ts';
import { run } from './run/run-command.ts';
import { jsonOutput, textOutput } from './run/run-output.ts';
import { addServeCommand } from './serve/serve-command.ts';
import { addStoreCommands } from './store/store-commands.ts';
import { plain, plainLine } from './terminal/plain-text.ts';

interface RunFlags {
  json?: true;
  model?: string;
  cwd?: string;
  permissionMode?: SessionOptions['permissionMode'];
  allowedTools?: string[];
  disallowedTools?: string[];
  resume?: string;
  timeout?: number;
  cli?: string;
  record?: SessionOptions['record'];
}

const PROMPT_HELP = 'the prompt; "-", or nothing with a pipe, reads standard input';
/** After the answer, background agents may still work for this long before they are stopped. */
const BACKGROUND_MS = 10 * 60_000;
/** The run shows everything, so it may hold far more than an ordinary subscriber before it has lagged. */
const READER_LIMITS = { maxSubscriberBufferItems: 1_000_000, maxSubscriberBufferBytes: 256 * 2 ** 20 };
/** The errors that say more than that something failed. */
const EXITS: Readonly<Partial<Record<ErrorCode, ExitCode>>> = {
  INVALID_OPTIONS: EXIT.usage,
  INVALID_PROMPT: EXIT.usage,
  SERVER_NOT_FOUND: EXIT.noServer,
  SERVER_UNREACHABLE: EXIT.noServer,
};
const MODES = ['default', 'acceptEdits', 'plan', 'dontAsk', 'auto'] as const;

/** The command with everything that it can do. */
export function createProgram(version: string): Command {
  const program = new Command('troupe')
    .description('Runs Claude Code agents as supervised actors.')
    .version(version, '-V, --version')
    .showHelpAfterError('(add --help for the options)')
    .exitOverride()
    .hook('preAction', (_program, command) => refuseEmpty(command));

  const running = runOptions(
    program
      .command('run')
      .description('Sends one prompt and streams the answer; the exit code tells how it went.')
      .argument('[prompt]', PROMPT_HELP),
  ).action(async (prompt: string | undefined, flags: RunFlags) => {
    process.exitCode = await runCommand(prompt, flags);
  });
  examples(running, [
    ['troupe run "Which files are largest?"', 'asks before each tool'],
    ['troupe run "Fix the typos" --allowed-tools "Read,Edit"', 'these need no question'],
    ['git diff | troupe run -', 'the prompt from standard input; `troupe run < task.md` from a file'],
    ['troupe run "Which files are largest?" --json | jq -r .type', 'the lines of the CLI'],
  ]);

  const recording = runOptions(
    program
      .command('record')
      .description('The same as run, and records the traffic with the CLI, without secrets.')
      .argument('<file>', 'the recording; must not be there yet')
      .argument('[prompt]', PROMPT_HELP)
      .option('--force', 'replace the file'),
  ).action(async (file: string, prompt: string | undefined, flags: RunFlags & { force?: true }) => {
    process.exitCode = await recordCommand(file, prompt, flags);
  });
  examples(recording, [
    ['troupe record fix.ndjson -- "Fix the failing test"', 'what is said on the pipe, line by line'],
    ['troupe replay fix.ndjson', 'shows it'],
  ]);

  const finish = async (work: Promise<ExitCode>): Promise<void> => {
    process.exitCode = await work;
  };

  addLookCommands(program, finish);
  addFleetCommands(program, finish);
  addAttachCommand(program, finish);
  addStoreCommands(program, finish);
  addDoctorCommand(program, finish);
  addDiagramCommand(program, finish);
  addDriftCommand(program, finish);

  addServeCommand(
    program,
    {
      env: process.env,
      tell: (line) => console.error(`troupe: ${line}`),
      write: (text) => void process.stdout.write(text),
      streams: () => ({ input: process.stdin, output: process.stdout }),
      onLeave,
      createSupervisor,
      logging,
    },
    finish,
  );

  addReplayCommand(program, { write: (text) => void process.stdout.write(text), onLeave }, finish);

  addCompletion(program, finish);
  return program;
}

function runOptions(command: Command): Command {
  return command
    .option('--json', 'print the raw message lines of the CLI instead of the text')
    .option('--model <name>', 'the model')
    .option('--cwd <directory>', 'the working directory of the agent')
    .addOption(new Option('--permission-mode <mode>', 'how tools are allowed').choices(MODES))
    .option(
      '--allowed-tools <rules>',
      'tools that need no question, as in "Read,Bash(git *)"; may be repeated',
      ruleList,
    )
    .option('--disallowed-tools <rules>', 'tools the agent may not use; may be repeated', ruleList)
    .option('--resume <id>', 'continue the conversation with this id')
    .option('--timeout <seconds>', 'stop the run after this time', seconds)
    .option('--cli <path>', 'the claude executable (default: TROUPE_CLI, then claude on PATH)')
    .addHelpText(
      'after',
      `
  Without a terminal nobody can be asked, so every tool that needs permission is denied.
  Background agents are waited for, and their report is shown.
  Ctrl-C interrupts the work, a second one kills the agent.

  Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted, 129 or 143 ended by SIGHUP or SIGTERM.
  Environment: TROUPE_CLI path of the claude executable, TROUPE_LOG_LEVEL logs to stderr (info, or info,permission=debug).`,
    );
}

/** Does what the arguments of this process say, and leaves its exit code. */
export async function main(): Promise<void> {
  watchOutput();
  await perform(createProgram(packageVersion()), process.argv);
}

/** Does what the arguments say, tells people what went wrong, and leaves the exit code in `process.exitCode`. */
export async function perform(program: Command, argv: readonly string[]): Promise<void> {
  try {
    await program.parseAsync(argumentsOf(argv));
  } catch (error) {
    process.exitCode = explain(error);
  }
}

/** What a shell makes of a variable that is not set is no name, file or id. */
function refuseEmpty(command: Command): void {
  const isEmpty = (value: unknown): boolean => value === '' || (Array.isArray(value) && value.some(isEmpty));
  const option = command.options.find((one) => isEmpty(command.getOptionValue(one.attributeName())));
  const argument = command.registeredArguments.find((_, at) => isEmpty(command.processedArgs[at]));
  if (option === undefined && argument === undefined) return;
  const what = option === undefined ? `argument '${argument?.name()}'` : `option '${option.flags}'`;
  throw new CommanderError(EXIT.usage, 'troupe.empty', `${what} must not be empty`);
}

/** What comes behind the file of `record` may be set off with `--`, and has options all the same. */
export function argumentsOf(argv: readonly string[]): string[] {
  const mark = argv.indexOf('--');
  return argv[2] === 'record' ? argv.filter((_, at) => at !== mark) : [...argv];
}

async function recordCommand(file: string, prompt: string | undefined, flags: RunFlags & { force?: true }) {
  const isForced = flags.force === true;
  if (!isForced && existsSync(file))
    throw new TroupeError('INVALID_OPTIONS', { reason: `${file} is there already; --force replaces it.` });
  const code = await runCommand(prompt, {
    ...flags,
    record: { path: file, ifExists: isForced ? 'replace' : 'number' },
  });
  console.error(`troupe: recorded in ${file}`);
  return code;
}

async function runCommand(argument: string | undefined, flags: RunFlags): Promise<ExitCode> {
  const prompt = await promptText(argument);
  const follow = await logging();
  const supervisor = createSupervisor();
  follow(supervisor);
  // What an agent writes must not be obeyed by a terminal; elsewhere it stays as it is.
  const write = (text: string | Buffer) =>
    void process.stdout.write(process.stdout.isTTY === true ? plain(String(text)) : text);
  return run(supervisor, {
    prompt,
    options: sessionOptions(flags),
    timeoutMs: (flags.timeout ?? Number.POSITIVE_INFINITY) * 1000,
    backgroundMs: BACKGROUND_MS,
    output: flags.json === true ? jsonOutput(write) : textOutput(write),
    tell: (line) => console.error(`troupe: ${plain(line)}`),
    onLeave,
  });
}

/** Who runs a supervisor is about to do it, and has its log from the first event on. */
async function logging(): Promise<(supervisor: Supervisor) => void> {
  const wanted = process.env['TROUPE_LOG_LEVEL'];
  if (wanted === undefined) return () => {};
  const levels = readLogLevels(wanted);
  const isPretty = process.stderr.isTTY === true;
  const hasColors = isPretty && process.env['NO_COLOR'] === undefined;
  const logger = await stderrLogger({ level: lowestOf(levels), isPretty, hasColors });
  return (supervisor) => void logFleet(supervisor, logger, levels);
}

function sessionOptions(flags: RunFlags): SessionOptions {
  const isAttended = process.stdin.isTTY === true && process.stderr.isTTY === true;
  const cli = flags.cli ?? (process.env['TROUPE_CLI'] || undefined);
  return {
    restart: { type: 'temporary' },
    limits: READER_LIMITS,
    includePartialMessages: flags.json !== true,
    ...(isAttended
      ? { canUseTool: askOnTerminal({ input: process.stdin, output: process.stderr, interrupt }) }
      : { permissionPrompts: 'none' }),
    ...(flags.model === undefined ? {} : { model: flags.model }),
    ...(flags.cwd === undefined ? {} : { cwd: flags.cwd }),
    ...(flags.permissionMode === undefined ? {} : { permissionMode: flags.permissionMode }),
    ...(flags.allowedTools === undefined ? {} : { allowedTools: flags.allowedTools }),
    ...(flags.disallowedTools === undefined ? {} : { disallowedTools: flags.disallowedTools }),
    ...(flags.record === undefined ? {} : { record: flags.record }),
    ...(flags.resume === undefined ? {} : { resume: flags.resume }),
    ...(cli === undefined ? {} : { pathToClaudeCodeExecutable: cli }),
  };
}

/** While a question is open the terminal hands Ctrl-C to us as a key: it counts like the signal. */
function interrupt(): void {
  process.emit('SIGINT', 'SIGINT');
}

/** Commas separate rules, but not inside the parentheses of one. */
function ruleList(text: string, former: string[] = []): string[] {
  const rules = text.split(/,(?![^(]*\))/).map((rule) => rule.trim());
  return [...former, ...rules.filter((rule) => rule !== '')];
}

/** One line for people, and the code for the shell. */
function explain(error: unknown): ExitCode {
  if (error instanceof CommanderError) {
    // Commander itself has already printed its own complaints, and help is no mistake.
    if (error.exitCode === 0) return EXIT.done;
    if (error.code.startsWith('troupe.')) console.error(`error: ${error.message}\n(add --help for the options)`);
    return EXIT.usage;
  }
  if (TroupeError.is(error)) {
    console.error(`troupe: ${plainLine(error.message)} (${error.code})`);
    return EXITS[error.code] ?? EXIT.failed;
  }
  if (error instanceof Error && 'syscall' in error) {
    // What the system refused is no mistake of this program: where it was asked is of no use.
    console.error(`troupe: ${error.message}`);
    return EXIT.failed;
  }
  console.error(`troupe: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  return EXIT.failed;
}

function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
  const isManifest = typeof manifest === 'object' && manifest !== null && 'version' in manifest;
  return isManifest && typeof manifest.version === 'string' ? manifest.version : 'unknown';
}
