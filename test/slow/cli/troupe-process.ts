import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../../dist/src/cli/main.js', import.meta.url));
const DEMO = fileURLToPath(new URL('../../../dist/src/cli/demo/main.js', import.meta.url));

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly finished: Promise<Finished>;
  /** Resolves when stdout holds the text. */
  saw(text: string): Promise<void>;
}

/** The built command as a person runs it: a process of its own. */
export function troupe(args: readonly string[], options: { env: Record<string, string>; input?: string }): Running {
  return follow(spawn(process.execPath, [MAIN, ...args], { env: options.env, stdio: 'pipe' }), options.input ?? '');
}

export function demo(env: Record<string, string>): Running {
  return follow(spawn(process.execPath, [DEMO], { env, stdio: 'pipe' }), '');
}

function follow(
  child: ChildProcess & { stdout: NodeJS.ReadableStream; stderr: NodeJS.ReadableStream },
  input: string,
): Running {
  let stdout = '';
  let stderr = '';
  const watchers = new Set<() => void>();
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
    for (const look of watchers) look();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  child.stdin?.end(input);
  const finished = new Promise<Finished>((resolve) => {
    child.once('close', (code) => {
      resolve({ code, stdout, stderr });
      for (const look of watchers) look();
    });
  });
  const saw = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (stdout.includes(text)) resolve();
        else if (child.exitCode !== null) reject(new Error(`It ended without "${text}": ${stdout}${stderr}`));
      };
      watchers.add(look);
      look();
    });
  return { child, finished, saw };
}
