import { TroupeError } from '../../src/errors.ts';
import { openInMemory } from '../../src/transport/in-memory-transport.ts';
import type { LaunchPlan, OpenTransport } from '../../src/transport/transport.ts';
import { createRandom, type Random } from '../chaos/random.ts';
import type { CliMemory } from './cli-memory.ts';
import type { Faults } from './faults.ts';
import type { ProcessWorld } from './process-world.ts';
import { BYSTANDER } from './script.ts';
import { SimulatedCli } from './simulated-cli.ts';

/** One process that was started, and what its host has read of it. */
export interface Launch {
  readonly plan: LaunchPlan;
  readonly sessionId: string;
  readonly number: number;
  readonly pid: number;
  readonly host: string;
  readonly cli: SimulatedCli;
  /** The conversation that the command line told it to resume. */
  readonly resumes: string | undefined;
}

export interface SpawnParts {
  readonly processes: ProcessWorld;
  readonly memory: CliMemory;
  readonly faults: Faults;
  readonly launches: Launch[];
  readonly seed: number;
  readonly host: string;
  readonly isHostAlive: () => boolean;
  readonly onLaunch: (launch: Launch) => void;
}

/** Opens processes that are functions: their bytes come in chunks cut anywhere, and what they start stands in a table of processes. */
export function simulatedSpawn(parts: SpawnParts): OpenTransport {
  const { processes, memory, faults, launches, host, isHostAlive } = parts;
  return async (plan, listeners) => {
    const [, sessionId = '', number = '0'] = /^(.*):(\d+):[^:]*$/.exec(plan.mark) ?? [];
    const isSpared = sessionId === BYSTANDER;
    // What was begun before the host was lost goes no further.
    if (!isHostAlive()) return new Promise(() => {});
    if (!isSpared && faults.next('spawn-hangs') !== undefined) return new Promise(() => {});
    if (!isSpared && faults.next('spawn') !== undefined) throw new TroupeError('SPAWN_FAILED');
    const random = createRandom(parts.seed * 7919 + launches.length);
    let launch: Launch | undefined;
    const guarded = {
      output: (chunk: Buffer) => {
        if (!isHostAlive()) return;
        listeners.output(chunk);
      },
      stderr: (line: string) => {
        if (isHostAlive()) listeners.stderr(line);
      },
    };
    const open = openInMemory((peer) => {
      const pid = processes.start({
        parentPid: 1,
        isDetached: true,
        mark: plan.mark,
        host,
        onEnd: () => {
          pipe.flush();
          cli.killed();
          peer.exit({ exitCode: null, signal: 'SIGKILL' });
        },
      });
      const pipe = laggingPipe(random, (bytes) => peer.output(bytes), isSpared);
      const conversation = namedIn(plan.args) ?? `00000000-0000-4000-8000-${String(launches.length).padStart(12, '0')}`;
      const cli: SimulatedCli = new SimulatedCli(
        {
          sessionId,
          number: Number(number),
          // Of the length of a name, not of chance: the token of a mark is another one in each run.
          mark: `${sessionId}:${number}:${launches.length}`,
          write: pipe.write,
          flush: pipe.flush,
          hasHeldBack: pipe.hasHeldBack,
          stderr: (line) => peer.stderr(line),
          exit(exitCode, signal) {
            peer.exit({ exitCode, signal });
            processes.end(pid);
          },
          startTool(isDetached, hasMark) {
            const mark = hasMark ? plan.mark : undefined;
            processes.start({ parentPid: pid, isDetached, mark, host: hasMark ? host : undefined });
          },
        },
        { conversation, mode: flagValue(plan.args, 'permission-mode') ?? 'default' },
        memory,
        random,
      );
      peer.onInput((line) => cli.hear(line));
      peer.onSignal(() => cli.signalled());
      void peer.inputEnded.then(() => cli.inputEnded());
      launch = {
        plan,
        sessionId,
        number: Number(number),
        pid,
        host,
        cli,
        resumes: resumedIn(plan.args),
      };
      launches.push(launch);
      parts.onLaunch(launch);
    });
    const transport = await open(plan, guarded);
    const { pid = 0 } = launch ?? {};
    return {
      ...transport,
      pid,
      async write(line) {
        if (!isHostAlive()) return new Promise(() => {});
        if (!isSpared && faults.next('write') !== undefined) throw new TroupeError('CLI_INPUT_CLOSED');
        return transport.write(line);
      },
      async killTree(deadlineMs) {
        if (!isHostAlive()) return new Promise(() => {});
        const killed = processes.killTree(pid, plan.mark);
        await transport.killTree(deadlineMs);
        return { killed, survivors: [] };
      },
    };
  };
}

/** Bytes arrive in pieces that end anywhere; the last of them may lie in the pipe until more is written. */
function laggingPipe(random: Random, deliver: (bytes: Buffer) => void, isPrompt: boolean) {
  let waiting = Buffer.alloc(0);

  function send(upTo: number): void {
    let from = 0;
    while (from < upTo) {
      const to = random.chance(0.3) ? Math.min(upTo, from + 1 + random.below(200)) : upTo;
      deliver(waiting.subarray(from, to));
      from = to;
    }
    waiting = waiting.subarray(upTo);
  }

  return {
    write(bytes: Buffer): void {
      waiting = Buffer.concat([waiting, bytes]);
      const isHeldBack = !isPrompt && random.chance(0.06);
      send(isHeldBack ? random.below(waiting.length) : waiting.length);
    },
    flush: () => send(waiting.length),
    hasHeldBack: () => waiting.length > 0,
  };
}

function namedIn(args: readonly string[]): string | undefined {
  return resumedIn(args) ?? flagValue(args, 'session-id');
}

function resumedIn(args: readonly string[]): string | undefined {
  return flagValue(args, 'resume');
}

/** The value of a flag of the command line, in either spelling. */
export function flagValue(args: readonly string[], flag: string): string | undefined {
  const joined = args.find((arg) => arg.startsWith(`--${flag}=`));
  if (joined !== undefined) return joined.slice(flag.length + 3);
  const index = args.indexOf(`--${flag}`);
  return index < 0 ? undefined : args[index + 1];
}
