import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { OFFICIAL, OURS, PROGRAMS, runProgram } from './program.ts';

const NAMES = readdirSync(PROGRAMS).filter((name) => name.endsWith('.ts'));
/** A query that is cut off is cut at any moment of its first request, and the official SDK starts one nobody steps. */
const CUT_OFF = ['endings.ts'];

describe('a program for the official SDK whose import was changed', () => {
  it.each(NAMES)('says, asks the model and ends the same: %s', { timeout: 300_000 }, async (name) => {
    const [theirs, ours] = await Promise.all([runProgram(name, OFFICIAL), runProgram(name, OURS)]);

    // A callback is called when its request is read, a message is shown when the loop comes round: each keeps its own order.
    expect(byKind(ours.said)).toEqual(byKind(theirs.said));
    if (!CUT_OFF.includes(name)) expect(ours.requests).toEqual(theirs.requests);
    expect(ours.stderr).toBe(theirs.stderr);
    expect([theirs.exitCode, ours.exitCode]).toEqual([0, 0]);
    // The official SDK may leave a process behind for a moment; Troupe never does (R53).
    expect(ours.survivors).toEqual([]);
  });
});

/** What was said, by its first word. */
function byKind(said: readonly unknown[]): Record<string, unknown[]> {
  const kinds: Record<string, unknown[]> = {};
  for (const entry of said) {
    const [kind] = entry as [string];
    kinds[kind] ??= [];
    kinds[kind].push(entry);
  }
  return kinds;
}
