import { expect, it } from 'vitest';
import { runScript } from '../run.ts';
import type { Script } from '../script.ts';

/** What is promised, and the script that broke it. */
export type KnownScript = readonly [what: string, script: Script];

export function keepTheirPromises(scripts: readonly KnownScript[]): void {
  it.each(scripts)('%s', async (_what, script) => {
    expect((await runScript(script)).violations).toEqual([]);
  });
}
