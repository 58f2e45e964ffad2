// Runs the tests of the store with the drivers that `npm test` does not take: better-sqlite3 under Node 20 and Node's own
// module under Node 22; with `--all` also with the package that comes along. Linux on x64. better-sqlite3 is compiled from its
// package, with the headers of that Node 20, unless it is there: it takes a minute, python3, make and a C++ compiler.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const FOLDER = join(ROOT, 'test', 'sqlite-drivers');
const PACKAGES = join(FOLDER, 'node_modules');
const TESTS = ['test/store/sqlite', 'test/slow/store'];
/** Kills of a writer, of which the slow ring makes more. */
const KILLS = '20';

if (process.platform !== 'linux' || process.arch !== 'x64') {
  fail('The releases of Node in test/sqlite-drivers are for Linux on x64.', 2);
}
const ranBy = [
  ...(process.argv.includes('--all') ? [{ node: 'node-20', driver: '@photostructure/sqlite', env: {} }] : []),
  { node: 'node-20', driver: 'better-sqlite3', env: { NODE_PATH: PACKAGES } },
  { node: 'node-22', driver: 'node:sqlite', env: {} },
];

// Without its script, which would fetch a binary from elsewhere.
must('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: FOLDER });
compileBetterSqlite3();

const outcomes = ranBy.map(({ node, driver, env }) => {
  const program = join(PACKAGES, node, 'bin', 'node');
  const version = run(program, ['--version'], { stdio: 'pipe' }).stdout.trim();
  console.log(`\n== ${driver}, Node ${version}`);
  const started = performance.now();
  const { status } = run(program, [join('node_modules', 'vitest', 'vitest.mjs'), 'run', ...TESTS], {
    env: { ...process.env, ...env, TROUPE_TEST_DRIVER: driver, TROUPE_TEST_KILLS: KILLS },
  });
  return { name: `${driver}, Node ${version}`, isGreen: status === 0, seconds: (performance.now() - started) / 1_000 };
});
for (const { name, isGreen, seconds } of outcomes) {
  console.log(`${name}: ${isGreen ? 'green' : 'FAILED'} in ${seconds.toFixed(0)} s`);
}
process.exitCode = outcomes.every(({ isGreen }) => isGreen) ? 0 : 1;

function compileBetterSqlite3() {
  const folder = join(PACKAGES, 'better-sqlite3');
  const nodeFolder = join(PACKAGES, 'node-20');
  if (existsSync(join(folder, 'build', 'Release', 'better_sqlite3.node'))) return;
  // npm brings it, and says where npm is to every script that it runs.
  const nodeGyp = join(
    dirname(process.env['npm_execpath'] ?? ''),
    '..',
    'node_modules',
    'node-gyp',
    'bin',
    'node-gyp.js',
  );
  if (!existsSync(nodeGyp)) fail('Run this by `npm run test:drivers`: npm brings what compiles better-sqlite3.', 2);
  console.log('compiling better-sqlite3');
  const program = join(nodeFolder, 'bin', 'node');
  const { status, stderr } = run(program, [nodeGyp, 'rebuild', '--release', `--nodedir=${nodeFolder}`], {
    cwd: folder,
    stdio: 'pipe',
  });
  if (status !== 0) fail(`better-sqlite3 could not be compiled:\n${stderr.slice(-4_000)}`, 1);
}

function must(command, args, options) {
  if (run(command, args, options).status !== 0) fail(`${command} ${args.join(' ')} failed.`, 1);
}

function run(command, args, options) {
  const result = spawnSync(command, args, {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: 'inherit',
    maxBuffer: 2 ** 26,
    ...options,
  });
  if (result.error !== undefined) fail(`${command} could not be run: ${result.error.message}`, 1);
  return result;
}

function fail(message, code) {
  console.error(message);
  process.exit(code);
}
