// The simulation as one file without types: Node reads it in a moment, however many processes play it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

/** Makes the file; `remove` when nobody is going to load it any more. */
export async function simulationProgram() {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-simulation-'));
  const file = join(folder, 'campaign.mjs');
  const bundle = await rolldown({
    input: fileURLToPath(new URL('../test/simulation/campaign.ts', import.meta.url)),
    platform: 'node',
    tsconfig: false,
    transform: { target: 'es2023' },
    logLevel: 'silent',
  });
  await bundle.write({ file, format: 'esm', codeSplitting: false });
  await bundle.close();
  return { file, remove: () => rm(folder, { recursive: true, force: true }) };
}
