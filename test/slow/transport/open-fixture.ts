import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { openSubprocess } from '../../../src/transport/subprocess-transport.ts';
import type { LaunchPlan, OpenTransport, Transport } from '../../../src/transport/transport.ts';
import { methodsOf } from '../../../src/transport/transport-methods.ts';

export function fixturePath(name: string): string {
  return fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));
}

/** A plan that runs a fixture under Node, with a mark of its own. */
export function planFor(fixture: string, args: readonly string[] = [], part: Partial<LaunchPlan> = {}): LaunchPlan {
  return planOf(process.execPath, [fixturePath(fixture), ...args], part);
}

export function planOf(command: string, args: readonly string[] = [], part: Partial<LaunchPlan> = {}): LaunchPlan {
  const mark = part.mark ?? `test:${randomUUID()}`;
  const env = { PATH: process.env['PATH'] ?? '', TROUPE_SESSION: mark, ...part.env };
  const base = { cwd: '/', temporaryFiles: [], keepDescendants: false, stderrTailBytes: 1024 };
  return { ...base, ...part, command, args, env, mark };
}

export interface Opened extends Transport {
  readonly plan: LaunchPlan;
  readonly complaints: readonly string[];
  text(): string;
  byteCount(): number;
  /** Resolves when stdout holds the text. */
  heard(text: string): Promise<void>;
}

export interface OpenOptions {
  onStderr?(line: string): void;
  /** Default: a child of this process. */
  readonly by?: OpenTransport;
}

/** Opens a subprocess and remembers what it says. Ends its tree at the end of the test. */
export async function open(plan: LaunchPlan, options: OpenOptions = {}): Promise<Opened> {
  const chunks: Buffer[] = [];
  const complaints: string[] = [];
  let byteCount = 0;
  const waiting = new Set<() => void>();
  const transport = await (options.by ?? openSubprocess)(plan, {
    output(chunk) {
      chunks.push(chunk);
      byteCount += chunk.length;
      for (const wake of waiting) wake();
    },
    stderr(line) {
      complaints.push(line);
      options.onStderr?.(line);
    },
  });
  const text = (): string => Buffer.concat(chunks).toString();
  const heard = async (expected: string): Promise<void> => {
    while (!text().includes(expected)) {
      await new Promise<void>((resolve) => waiting.add(resolve));
    }
  };
  // Also after a test that failed or ran out of time.
  onTestFinished(async () => void (await transport.killTree(10_000)));
  return {
    ...methodsOf(transport),
    plan,
    complaints,
    text,
    byteCount: () => byteCount,
    heard,
  };
}
