// What a user of the package gets: what the tarball holds and how it resolves, whether it works in an empty folder, and the tests
// of examples/offline-test with it. Needs dist.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const EXAMPLE = join(ROOT, 'examples', 'offline-test');
const MODULES = join(ROOT, 'node_modules');
/** Only an ES module is promised: what an old resolver or `require` makes of it is none of this. */
const PROMISED_RESOLUTIONS = ['node16-esm', 'bundler'];

const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const folder = mkdtempSync(join(tmpdir(), 'troupe-package-'));
try {
  const packed = pack();
  const bytes = readFileSync(packed.path);
  lookAtFiles(packed.files);
  await lookAtManifest(bytes);
  await lookAtTypes(bytes);
  console.log(`${packed.files.length} files, ${Math.round(packed.size / 1024)} KiB packed: nothing to complain about`);
  install(packed.path);
  compile();
  await runOnce();
  runExample();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function pack() {
  const told = run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], ROOT, {
    stdio: 'pipe',
  });
  const [{ filename, files, size }] = JSON.parse(told.stdout);
  return { path: join(folder, filename), files: files.map(({ path }) => path), size };
}

/** Nothing that only serves to make it, and everything that is named in it. */
function lookAtFiles(files) {
  const isSource = (path) => /(?<!\.d)\.ts$/.test(path) && !path.startsWith('docs/examples/');
  const strangers = files.filter((path) => /(^|\/)test\/|\.test\.|\.map$|tsbuildinfo/.test(path) || isSource(path));
  const wanted = ['LICENSE', 'README.md', 'CHANGELOG.md', 'dist/dashboard/index.html', ...Object.values(manifest.bin)];
  for (const entry of Object.values(manifest.exports)) {
    wanted.push(...[entry].flatMap((target) => (typeof target === 'string' ? [target] : Object.values(target))));
  }
  const missing = wanted
    .map((path) => path.replace(/^\.\//, ''))
    .filter((path) => path !== 'package.json' && !files.includes(path));
  if (strangers.length + missing.length > 0) throw new Error(`in the package: ${strangers}; not in it: ${missing}`);
}

async function lookAtManifest(bytes) {
  const tarball = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  const { messages, pkg } = await publint({ pack: { tarball }, level: 'warning', strict: true });
  if (messages.length > 0) throw new Error(messages.map((message) => formatMessage(message, pkg)).join('\n'));
}

async function lookAtTypes(bytes) {
  const { problems = [], types } = await checkPackage(createPackageFromTarballData(new Uint8Array(bytes)));
  if (types === false) throw new Error('the package has no types');
  const kept = problems.filter(
    ({ resolutionKind }) => resolutionKind === undefined || PROMISED_RESOLUTIONS.includes(resolutionKind),
  );
  if (kept.length > 0) throw new Error(`types: ${JSON.stringify(kept)}`);
}

function install(tarball) {
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'empty', private: true, type: 'module' }));
  const quiet = ['--no-audit', '--no-fund', '--prefer-offline', '--omit=optional', '--loglevel=error'];
  run('npm', ['install', ...quiet, tarball], folder);
}

/** The types of every sub-path, also inside the package, as a project sees them that checks its libraries too. */
function compile() {
  borrow('typescript');
  mkdirSync(join(folder, 'node_modules', '@types'), { recursive: true });
  borrow('@types/node');
  const paths = Object.keys(manifest.exports).filter((path) => path !== './package.json');
  const imports = paths.map((path, index) => `import * as part${index} from '${path.replace('.', 'troupe')}';`);
  const use = paths.map((_, index) => `part${index}`).join(', ');
  const source = `${imports.join('\n')}\nimport { createSupervisor, type Session } from 'troupe';
export const parts: object[] = [${use}];
export const start = (): Promise<Session> => createSupervisor({}).start({ id: 'typed' });
// @ts-expect-error what it returns is typed
export const wrong: Promise<string> = createSupervisor({}).start({ id: 'typed' });
`;
  writeFileSync(join(folder, 'consumer.ts'), source);
  const options = [
    '--noEmit',
    '--strict',
    '--target',
    'es2022',
    '--lib',
    'es2023,esnext.disposable,dom',
    '--types',
    'node',
    'consumer.ts',
  ];
  for (const [module, resolution] of [
    ['node16', 'node16'],
    ['esnext', 'bundler'],
  ]) {
    run(
      process.execPath,
      [join(MODULES, 'typescript/bin/tsc'), '--module', module, '--moduleResolution', resolution, ...options],
      folder,
    );
    console.log(`the types resolve under ${resolution}`);
  }
}

/** One prompt through the installed command: the real CLI, and a model that the package brings along. */
async function runOnce() {
  borrow('@anthropic-ai');
  const script = `
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { fakeModel, findRealCli, realCliHome, text } from 'troupe/testing';
const cli = await findRealCli();
if (cli === undefined) throw new Error('there is no real CLI to try it with');
const home = await realCliHome();
const model = await fakeModel({ rules: [{ when: {}, reply: text('It works here.') }] });
const env = { ...home.env, ...model.environment() };
const args = ['--no-install', 'troupe', 'run', '--cli', cli, 'hello'];
const { stdout } = await promisify(execFile)('npx', args, { env });
process.stdout.write(stdout);
await Promise.all([home.dispose(), model.close()]);
`;
  writeFileSync(join(folder, 'once.mjs'), script);
  const { stdout } = run(process.execPath, ['once.mjs'], folder, { stdio: 'pipe' });
  if (!stdout.includes('It works here.')) throw new Error(`npx troupe run said: ${stdout}`);
  console.log('npx troupe run: it works');
}

/** The test runner and the real CLI of this checkout do: they are large, and not what is tried out. */
function runExample() {
  cpSync(EXAMPLE, folder, {
    recursive: true,
    filter: (path) => !path.includes('node_modules') && !path.endsWith('package.json'),
  });
  borrow('vitest');
  run(process.execPath, [join(MODULES, 'vitest', 'vitest.mjs'), 'run', '--root', folder], folder);
}

function borrow(name) {
  const place = join(folder, 'node_modules', name);
  if (!existsSync(place)) symlinkSync(join(MODULES, name), place);
}

function run(command, args, cwd, { stdio = 'inherit' } = {}) {
  const result = spawnSync(command, args, { cwd, encoding: 'utf8', stdio });
  if (result.error !== undefined) throw result.error;
  if (result.status !== 0) {
    throw new Error(
      `${command} ${args.join(' ')} ended with ${result.status}.\n${result.stdout ?? ''}${result.stderr ?? ''}`,
    );
  }
  return result;
}
