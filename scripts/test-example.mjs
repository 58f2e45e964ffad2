// What a user does: packs the package, installs it into a copy of examples/offline-test, and runs the tests there. Needs dist.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const EXAMPLE = join(ROOT, 'examples', 'offline-test');
const MODULES = join(ROOT, 'node_modules');

const folder = mkdtempSync(join(tmpdir(), 'troupe-example-'));
try {
  process.exitCode = tryOut();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function tryOut() {
  const packed = run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], ROOT, 'pipe');
  const [{ filename }] = JSON.parse(packed.stdout);
  cpSync(EXAMPLE, folder, { recursive: true, filter: (path) => !path.includes('node_modules') });
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  manifest.dependencies.troupe = `file:${filename}`;
  // The test runner and the real CLI of this checkout do: they are large, and not what is tried out.
  delete manifest.devDependencies.vitest;
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', '--omit=optional', '--loglevel=error'], folder);
  for (const name of ['vitest', '@anthropic-ai']) borrow(name);
  const runner = join(MODULES, 'vitest', 'vitest.mjs');
  return run(process.execPath, [runner, 'run', '--root', folder], folder, 'inherit', true).status ?? 1;
}

function borrow(name) {
  const place = join(folder, 'node_modules', name);
  if (!existsSync(place)) symlinkSync(join(MODULES, name), place);
}

function run(command, args, cwd, stdio = 'inherit', mayFail = false) {
  const result = spawnSync(command, args, { cwd, encoding: 'utf8', stdio });
  if (result.error !== undefined) throw result.error;
  if (result.status !== 0 && !mayFail) throw new Error(`${command} ${args.join(' ')} ended with ${result.status}.`);
  return result;
}
