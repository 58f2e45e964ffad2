import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Session } from '../../../src/index.ts';

/** One line of the CLI, as it came. */
export type CliLine = Readonly<Record<string, unknown>>;

/** Every message of the CLI that the session has logged so far; what comes later is not waited for. */
export async function linesOf(session: Session): Promise<CliLine[]> {
  const lines: CliLine[] = [];
  for await (const event of session.events()) {
    if (event.type === 'replay.completed') break;
    if (event.type === 'message') lines.push(JSON.parse(event.message.raw.toString('utf8')));
  }
  return lines;
}

/** The results the CLI has sent so far. */
export async function resultsOf(session: Session): Promise<CliLine[]> {
  return (await linesOf(session)).filter(({ type }) => type === 'result');
}

/** Resolves with the logged lines as soon as one of them is like this. */
export async function linesWith(session: Session, wanted: CliLine): Promise<CliLine[]> {
  await expect.poll(() => linesOf(session), { timeout: 20_000 }).toContainEqual(expect.objectContaining(wanted));
  return linesOf(session);
}

/** The texts of the messages in the role of the user: tool results, echoes and what the CLI says in its name. */
export function userTexts(lines: readonly CliLine[]): string[] {
  return lines.filter(({ type }) => type === 'user').map(({ message }) => JSON.stringify(message));
}

/** Resolves when the CLI has written this text into a transcript: older releases do so late, and what is not there cannot be resumed (WIRE §15). */
export async function recorded(configDir: string, text: string): Promise<void> {
  const projects = join(configDir, 'projects');
  const transcripts = () =>
    readdirSync(projects, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl'));
  await expect
    .poll(() => transcripts().some((name) => readFileSync(join(projects, name), 'utf8').includes(text)))
    .toBe(true);
}
