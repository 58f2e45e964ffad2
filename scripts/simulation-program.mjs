// The simulation as one file without types: Node reads it in a moment, however many processes play it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

/** Makes the file; `remove` when nobody is going to load it any more. It is gone with this process, too. */
export async function simulationProgram() {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-simulation-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
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
  return { file, remove };
}
