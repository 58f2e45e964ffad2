import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { SessionOptions, SupervisorOptions } from '../../src/index.ts';

/** With what a host is started. JSON only. */
export interface HostPlan {
  readonly store: string;
  readonly durability: 'strict' | 'batched';
  readonly supervisor: SupervisorOptions;
  readonly alteration: StoreAlteration | undefined;
  /** It only tells what the store holds. */
  readonly isReader?: boolean;
}

/** What is done to the store: commits that take longer, none any more from an event of one type on, or a lie about them. */
export interface StoreAlteration {
  readonly before?: number;
  readonly after?: number;
  readonly isLying?: boolean;
  readonly withheldFrom?: string;
}

/** An event as the host tells it: of a message only its digest. */
export type ShownEvent = { readonly type: string; readonly seq?: number; readonly epoch?: number } & Readonly<
  Record<string, unknown>
>;

export interface SessionLook {
  readonly id: string;
  readonly state: string;
  readonly epoch: number;
  readonly pending: readonly { readonly id: string; readonly input: unknown }[];
  readonly doubts: readonly string[];
}

export type HostFact =
  | { readonly type: 'up'; readonly pid: number }
  | { readonly type: 'broken'; readonly code: string; readonly text: string }
  | { readonly type: 'recovered'; readonly tookMs: number; readonly sessions: readonly SessionLook[] }
  | { readonly type: 'looked'; readonly sessions: readonly SessionLook[] }
  | { readonly type: 'fleet'; readonly event: ShownEvent }
  | { readonly type: 'started'; readonly id: string }
  | { readonly type: 'warm' }
  | { readonly type: 'event'; readonly id: string; readonly event: ShownEvent }
  | { readonly type: 'accepted'; readonly id: string; readonly promptId: string }
  | {
      readonly type: 'outcome';
      readonly id: string;
      readonly promptId: string;
      readonly outcome: string;
      readonly code?: string;
    }
  | { readonly type: 'answered'; readonly id: string; readonly requestId: string; readonly nonce: string }
  | {
      readonly type: 'resolved';
      readonly id: string;
      readonly promptId: string;
      readonly how: string;
      readonly isTaken: boolean;
    }
  | { readonly type: 'set'; readonly id: string }
  | { readonly type: 'explained'; readonly id: string; readonly explanation: unknown }
  | {
      readonly type: 'counted';
      readonly sessions: readonly { readonly id: string; readonly costUsd: number }[];
      readonly totalUsd?: number;
    }
  | { readonly type: 'handed-over' | 'shut-down' }
  | { readonly type: 'refused'; readonly command: HostCommand; readonly code: string; readonly text: string };

export type HostCommand =
  | { readonly do: 'start' | 'prewarm'; readonly options: SessionOptions }
  | { readonly do: 'watch'; readonly id: string; readonly from: number }
  | { readonly do: 'prompt'; readonly id: string; readonly promptId: string; readonly text: string }
  | {
      readonly do: 'answer';
      readonly id: string;
      readonly requestId: string;
      readonly nonce: string;
      readonly answer: unknown;
    }
  | { readonly do: 'resolve'; readonly id: string; readonly promptId: string; readonly how: 'retry' | 'fail' }
  | { readonly do: 'set'; readonly id: string; readonly model: string; readonly mode: string }
  | { readonly do: 'explain'; readonly id: string }
  | { readonly do: 'look' | 'count' | 'handover' | 'shutdown' };

export interface HostEnd {
  readonly code: number | null;
  readonly signal: string | null;
}

/** A host in a process of its own, over two pipes. */
export interface HostProgram {
  readonly pid: number;
  say(command: HostCommand): void;
  kill(): void;
  /** Settles when it ended and everything it said was heard. */
  readonly ended: Promise<HostEnd>;
  /** What it wrote to stderr. */
  complaints(): string;
}

const PROGRAM = fileURLToPath(new URL('host.mjs', import.meta.url));

export function startHost(plan: HostPlan, env: NodeJS.ProcessEnv, hear: (fact: HostFact) => void): HostProgram {
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(plan)], { env, stdio: 'pipe' });
  let complaints = '';
  child.stdin.on('error', () => {});
  child.stderr.on('data', (chunk: Buffer) => {
    complaints = (complaints + String(chunk)).slice(-4_000);
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    const fact = factIn(line);
    if (fact !== undefined) hear(fact);
  });
  return {
    pid: child.pid ?? 0,
    say: (command) => void child.stdin.write(`${JSON.stringify(command)}\n`),
    kill: () => void child.kill('SIGKILL'),
    ended: once(child, 'close').then(([code, signal]) => ({ code, signal })),
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
