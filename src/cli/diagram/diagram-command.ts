import { Argument, type Command, Option } from 'commander';
import type { AnyStateMachine } from 'xstate';
import { accountMachine } from '../../../machines/account/account.machine.ts';
import { budgetMachine } from '../../../machines/budget/budget.machine.ts';
import { childMachine } from '../../../machines/child/child.machine.ts';
import { groupMachine } from '../../../machines/group/group.machine.ts';
import { mcpServerMachine } from '../../../machines/mcp-server/mcp-server.machine.ts';
import { toMermaid } from '../../../machines/mermaid.ts';
import { permissionMachine } from '../../../machines/permission/permission.machine.ts';
import { sessionMachine } from '../../../machines/session/session.machine.ts';
import { supervisorMachine } from '../../../machines/supervisor/supervisor.machine.ts';
import { watchdogMachine } from '../../../machines/watchdog/watchdog.machine.ts';
import { examples } from '../examples.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { jsonLine } from '../json-line.ts';
import { write } from '../output.ts';
import { chartOf } from './chart.ts';
import { toDot, toScxml } from './chart-formats.ts';

const MACHINES: Readonly<Record<string, AnyStateMachine>> = {
  account: accountMachine,
  budget: budgetMachine,
  child: childMachine,
  group: groupMachine,
  'mcp-server': mcpServerMachine,
  permission: permissionMachine,
  session: sessionMachine,
  supervisor: supervisorMachine,
  watchdog: watchdogMachine,
};

const FORMATS = {
  mermaid: toMermaid,
  dot: (machine: AnyStateMachine) => toDot(chartOf(machine)),
  scxml: (machine: AnyStateMachine) => toScxml(chartOf(machine)),
  json: (machine: AnyStateMachine) => jsonLine(chartOf(machine)),
};

interface DiagramFlags {
  readonly format: keyof typeof FORMATS;
  readonly json?: true;
}

export function addDiagramCommand(program: Command, finish: (work: Promise<ExitCode>) => Promise<void>): void {
  const command = program
    .command('diagram')
    .description('Prints the statechart of a machine.')
    .addArgument(new Argument('[machine]', 'which one').choices(Object.keys(MACHINES)).default('session'))
    .addOption(new Option('--format <format>', 'as what').choices(Object.keys(FORMATS)).default('mermaid'))
    .option('--json', 'the same as --format json')
    .action((name: string, flags: DiagramFlags) => finish(diagram(name, flags)));
  examples(command, [
    ['troupe diagram', 'the machine of a process, for a Mermaid viewer'],
    ['troupe diagram child --format dot | dot -Tsvg > child.svg', 'as a picture, by Graphviz'],
    ['troupe diagram supervisor --format scxml', 'for tools that read SCXML'],
  ]);
}

async function diagram(name: string, { format, json }: DiagramFlags): Promise<ExitCode> {
  const machine = MACHINES[name];
  if (machine !== undefined) await write(FORMATS[json === true ? 'json' : format](machine));
  return EXIT.done;
}
