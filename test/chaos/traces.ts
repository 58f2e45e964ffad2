import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { ownHostMark } from '../../src/transport/host-mark.ts';

/** What a run could leave behind, looked for without the code under test. */
export interface Traces {
  /** Pids of living processes that carry a mark of the run, or sleep its seconds; decoys are not among them. */
  living(): number[];
  /** Names of the decoys that did not survive. */
  deadDecoys(): string[];
  /** Ends the decoys, and whatever else is left. */
  sweep(): void;
}

/** Puts decoys up: processes that look like those of the run, and that nobody may touch. */
export function watchTraces(sessionPrefix: string, seconds: string): Traces {
  const decoys = Object.entries(decoyEnvironments()).map(([name, env]) => ({ name, child: sleeper(seconds, env) }));
  const spared = new Set(decoys.map(({ child }) => child.pid));

  function living(): number[] {
    const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
    return pids.filter((pid) => !spared.has(pid) && isOurs(pid, sessionPrefix, seconds) && isLiving(pid));
  }

  return {
    living,
    deadDecoys: () => decoys.filter(({ child }) => !isLiving(child.pid ?? 0)).map(({ name }) => name),
    sweep() {
      for (const { child } of decoys) child.kill('SIGKILL');
      for (const pid of living()) killIfThere(pid);
    },
  };
}

function decoyEnvironments(): Record<string, NodeJS.ProcessEnv> {
  const mark = { TROUPE_SESSION: 'decoy:1:0123456789abcdef' };
  const host = ownHostMark() ?? '';
  return {
    unmarked: {},
    'marked, without a host': mark,
    'of a living host': { ...mark, TROUPE_HOST: host },
    'of another place': { ...mark, TROUPE_HOST: `${host.replace(/^\d+:\d+/, '999999:1')}/elsewhere` },
    'with a host that is no name': { ...mark, TROUPE_HOST: 'somebody' },
  };
}

function sleeper(seconds: string, env: NodeJS.ProcessEnv): ChildProcess {
  return spawn('/bin/sleep', [seconds], { detached: true, stdio: 'ignore', env });
}

function isOurs(pid: number, sessionPrefix: string, seconds: string): boolean {
  if (textOf(pid, 'environ').includes(`TROUPE_SESSION=${sessionPrefix}`)) return true;
  return textOf(pid, 'cmdline') === `sleep\0${seconds}\0`;
}

function isLiving(pid: number): boolean {
  const state = textOf(pid, 'stat').split(') ').at(-1)?.[0];
  return state !== undefined && state !== 'Z' && state !== 'X';
}

function textOf(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return '';
  }
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Gone already.
  }
}
