import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { complaintsAbout } from '../../docs/code-sample.ts';
import { OFFICIAL, OURS, type PackageName, PROGRAMS, sourceOf } from './program.ts';

const NAMES = readdirSync(PROGRAMS).filter((name) => name.endsWith('.ts'));

describe('a program for the official SDK', () => {
  it.each([OFFICIAL, OURS] as const)('type-checks when it imports %s', { timeout: 240_000 }, async (name) => {
    expect(await complaintsFor(name)).toEqual([]);
  });

  it('does not type-check with a mistake in it, so the check is one', { timeout: 240_000 }, async () => {
    const source = `import { query } from '${OURS}';
for await (const message of query({ prompt: 'hi' })) if (message.type === 'result') message.total_cost_usd.trim();
query({ prompt: 5 });`;

    expect(complaintsAbout([asPage('mistake.ts', source)])).toHaveLength(2);
  });
});

async function complaintsFor(name: PackageName): Promise<string[]> {
  return complaintsAbout(
    await Promise.all(NAMES.map(async (program) => asPage(program, await sourceOf(program, name)))),
  );
}

/** The checker of the samples in our pages reads code from pages. */
function asPage(path: string, source: string) {
  return { path, text: `\`\`\`ts\n${source}\n\`\`\`\n` };
}
