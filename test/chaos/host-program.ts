import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { SessionOptions, SupervisorOptions } from '../../src/index.ts';

/** What the host is to do. JSON only. */
export interface HostPlan {
  readonly supervisor: SupervisorOptions;
  /** Filled before the first session starts. */
  readonly pool?: { readonly options: SessionOptions; readonly count: number };
  readonly sessions: readonly {
    readonly options: SessionOptions;
    readonly prompts?: readonly { readonly id: string; readonly text: string }[];
    /** What is done to it once its prompts are accepted. */
    readonly afterwards?: 'close' | 'hibernate' | 'kill-cli';
  }[];
}

export type HostFact =
  | { readonly type: 'up'; readonly pid: number }
  | { readonly type: 'started'; readonly sessionId: string; readonly pid: number }
  | { readonly type: 'ready'; readonly sessionId: string; readonly pid: number }
  | { readonly type: 'filled'; readonly poolId: string; readonly pid: number }
  | { readonly type: 'closing'; readonly sessionId: string }
  | { readonly type: 'state'; readonly sessionId: string; readonly state: string }
  | { readonly type: 'phase'; readonly phase: string }
  | { readonly type: 'accepted'; readonly id: string }
  | { readonly type: 'outcome'; readonly id: string; readonly outcome: string }
  | { readonly type: 'ended'; readonly sessionId: string; readonly reason: string }
  | { readonly type: 'failed'; readonly sessionId: string; readonly code: string }
  | { readonly type: 'shut-down' }
  | {
      readonly type: 'orphan.reaped' | 'orphan.survived';
      readonly sessionId: string;
      readonly pid: number;
      readonly signal: string;
      readonly command: string;
      readonly mark: string;
    };

export interface HostEnd {
  readonly code: number | null;
  readonly signal: string | null;
}

/** A host in a process of its own. */
export interface HostProgram {
  readonly pid: number;
  readonly facts: readonly HostFact[];
  /** Resolves with the first fact that fits, told already or still to come; rejects when the host ends before. */
  heard<F extends HostFact['type']>(
    type: F,
    fits?: (fact: Extract<HostFact, { type: F }>) => boolean,
  ): Promise<Extract<HostFact, { type: F }>>;
  /** Tells the host how to end; ignored when it has ended. */
  say(word: 'shutdown' | 'exit' | 'throw' | 'leave'): void;
  kill(signal: NodeJS.Signals): void;
  /** Settles when it ended and everything it said was read. */
  readonly ended: Promise<HostEnd>;
  /** What it wrote to stderr. */
  complaints(): string;
}

const PROGRAM = fileURLToPath(new URL('host.mjs', import.meta.url));

export function startHost(plan: HostPlan, env: NodeJS.ProcessEnv): HostProgram {
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(plan)], { env, stdio: 'pipe' });
  const facts: HostFact[] = [];
  const waiting = new Set<() => void>();
  let complaints = '';
  let isOver = false;
  child.stdin.on('error', () => {});
  child.stderr.on('data', (chunk: Buffer) => {
    complaints = (complaints + String(chunk)).slice(-4_000);
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    const fact = factIn(line);
    if (fact !== undefined) facts.push(fact);
    for (const wake of [...waiting]) wake();
  });
  const ended = endOf(child).finally(() => {
    isOver = true;
    for (const wake of [...waiting]) wake();
  });

  function heard<F extends HostFact['type']>(
    type: F,
    fits: (fact: Extract<HostFact, { type: F }>) => boolean = () => true,
  ): Promise<Extract<HostFact, { type: F }>> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const isWanted = (fact: HostFact): fact is Extract<HostFact, { type: F }> => fact.type === type;
        const found = facts.filter(isWanted).find(fits);
        if (found === undefined && !isOver) return;
        waiting.delete(look);
        if (found !== undefined) resolve(found);
        else reject(new Error(`The host ended without saying "${type}": ${complaints}`));
      };
      waiting.add(look);
      look();
    });
  }

  return {
    pid: child.pid ?? 0,
    facts,
    heard,
    say: (word) => void child.stdin.write(`${word}\n`),
    kill: (signal) => void child.kill(signal),
    ended,
    complaints: () => complaints,
  };
}

/** A host that was killed may leave half a line. */
function factIn(line: string): HostFact | undefined {
  try {
    return JSON.parse(line) as HostFact;
  } catch {
    return undefined;
  }
}

async function endOf(child: ChildProcess): Promise<HostEnd> {
  const [code, signal] = await once(child, 'close');
  return { code, signal };
}
