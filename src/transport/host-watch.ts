import { type ChildProcess, spawn } from 'node:child_process';
import { guardExit } from './exit-guard.ts';

export interface HostWatchOptions {
  /** The Node executable. */
  readonly execPath: string;
  /** What it runs when this process is gone. */
  readonly program: string;
  /** Called when the watch could not be started. */
  onFailure(error: unknown): void;
}

/**
 * A shell waits for a word on its input and gets the end of it when this process dies, of whatever; then it becomes the
 * program. It costs a megabyte, and no signal that ends a whole terminal ends it.
 */
const SCRIPT = 'trap "" HUP INT TERM; read -r word && exit; exec "$0" "$1"';

let watch: ChildProcess | undefined;
let users = 0;
let unguard: () => void = () => {};

/** Runs the program as soon as this process is gone. One watch serves all who ask. Returns the way to do without. */
export function watchHost(options: HostWatchOptions): () => void {
  users += 1;
  if (users === 1) tryToBegin(options);
  let isUsing = true;
  return () => {
    if (!isUsing) return;
    isUsing = false;
    users -= 1;
    if (users === 0) end();
  };
}

function tryToBegin(options: HostWatchOptions): void {
  try {
    if (process.platform !== 'linux') throw new Error('Only Linux shows what a lost host leaves behind.');
    begin(options);
  } catch (error) {
    options.onFailure(error);
  }
}

function begin({ execPath, program, onFailure }: HostWatchOptions): void {
  const child = spawn('/bin/sh', ['-c', SCRIPT, execPath, program], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.once('error', onFailure);
  child.stdin.on('error', () => {});
  // Neither the shell nor its pipe may keep this process alive.
  child.unref();
  if ('unref' in child.stdin && typeof child.stdin.unref === 'function') child.stdin.unref();
  watch = child;
  // A host that exits has ended everything itself.
  unguard = guardExit({ killNow: () => 0, cleanUpNow: () => void child.kill('SIGKILL') });
}

function end(): void {
  watch?.kill('SIGKILL');
  watch = undefined;
  unguard();
  unguard = () => {};
}
