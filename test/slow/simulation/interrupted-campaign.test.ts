import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const SCRIPT = fileURLToPath(new URL('../../../scripts/simulate.mjs', import.meta.url));

describe('npm run simulate', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    'leaves neither a file nor a lane when %s ends it in the middle (P1)',
    async (signal) => {
      const folder = mkdtempSync(join(tmpdir(), 'troupe-interrupted-'));
      try {
        const campaign = spawn(process.execPath, [SCRIPT, '--runs', '100000', '--lanes', '1'], {
          env: { ...process.env, TMPDIR: folder },
          stdio: ['ignore', 'ignore', 'pipe'],
        });
        // The first that is told of is a run of the lane.
        await once(campaign.stderr, 'data');
        const atWork = readdirSync(folder);
        campaign.kill(signal);
        // A lane that lives on holds its pipe open.
        const [code] = await once(campaign, 'close');

        expect(atWork).toEqual([expect.stringMatching(/^troupe-simulation-/)]);
        expect(code).toBe(signal === 'SIGINT' ? 130 : 143);
        expect(readdirSync(folder)).toEqual([]);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  );
});
