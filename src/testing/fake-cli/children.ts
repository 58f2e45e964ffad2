import type { Readable } from 'node:stream';
import type { ChildSpec } from './scenario.ts';

/** Starts sleeping processes as a tool of the CLI would. They end by themselves after the fake's lifetime. */
export class Children {
  readonly #folder: string;
  readonly #lifetimeSeconds: number;
  readonly #pids: number[] = [];

  constructor(lifetimeMs: number, folder: string) {
    this.#folder = folder;
    this.#lifetimeSeconds = Math.ceil(lifetimeMs / 1_000);
  }

  /** Resolves with the pids of the new processes: the child, and the grandchild if asked for. */
  async start(spec: ChildSpec): Promise<number[]> {
    // Loaded late: most fakes start no child, and start-up time counts.
    const { spawn } = await import('node:child_process');
    const trap = spec.ignoreTerm === true ? "trap '' TERM; " : '';
    const sleep = `sleep ${this.#lifetimeSeconds}`;
    // An ignored signal stays ignored through exec, so that the sleeper itself ignores it.
    const script =
      spec.grandchild === true
        ? `${trap}${sleep} 3>&- & echo $! >&3; exec 3>&-; wait`
        : `${trap}exec 3>&-; exec ${sleep}`;
    const inherited = spec.inheritOutput === true ? 'inherit' : 'ignore';
    const child = spawn('/bin/sh', ['-c', script], {
      // The folder in the environment tells `dispose` that the process is one of ours.
      env: { ...process.env, TROUPE_FAKE_CLI: this.#folder },
      detached: spec.detached === true,
      stdio: ['ignore', inherited, inherited, 'pipe'],
    });
    child.unref();
    const reported = await readAll(child.stdio[3] as Readable);
    const pids = [child.pid, ...reported.split('\n').map(Number)].filter((pid) => pid !== undefined && pid > 0);
    this.#pids.push(...(pids as number[]));
    return pids as number[];
  }

  killAll(): void {
    for (const pid of this.#pids.splice(0)) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // Gone already.
      }
    }
  }
}

async function readAll(pipe: Readable): Promise<string> {
  let text = '';
  for await (const chunk of pipe) text += String(chunk);
  return text;
}
