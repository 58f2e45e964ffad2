import { execFile } from 'node:child_process';

const GIT_MS = 5_000;
const MOST_BYTES = 1024 * 1024;

/**
 * The working trees of the repository around the directory, itself included; empty where there is no repository or no
 * git. What the repository configures is not run: no hooks, no file monitor.
 */
export function worktreesOf(directory: string): Promise<string[]> {
  const safely = ['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor='];
  const options = { cwd: directory, timeout: GIT_MS, maxBuffer: MOST_BYTES, windowsHide: true };
  return new Promise((resolve) => {
    execFile('git', [...safely, 'worktree', 'list', '--porcelain'], options, (error, output) => {
      resolve(error === null ? pathsIn(output) : []);
    });
  });
}

function pathsIn(porcelain: string): string[] {
  const lines = porcelain.split('\n').filter((line) => line.startsWith('worktree '));
  return lines.map((line) => line.slice('worktree '.length));
}
