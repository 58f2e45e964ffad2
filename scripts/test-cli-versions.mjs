// For each release, those pinned under test/cli-versions and the installed one: says what differs from its baseline, then
// runs the tests of the real CLI.
// `node scripts/test-cli-versions.mjs [version …]` for some of them only.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const PINNED = join(ROOT, 'test', 'cli-versions');
const SCOPE = join('node_modules', '@anthropic-ai');
/** Without the right platform package there is only a placeholder of some hundred bytes. */
const PLACEHOLDER_MAX_BYTES = 4_096;

const installed = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).devDependencies[
  '@anthropic-ai/claude-code'
];
const known = [...readdirSync(PINNED), installed];
const asked = process.argv.slice(2);
const unknown = asked.filter((version) => !known.includes(version));
if (unknown.length > 0) fail(`No such release here: ${unknown.join(', ')}. There are ${known.join(', ')}.`, 2);

if (run('npx', ['tsc', '-p', 'tsconfig.build.json'], { stdio: 'inherit' }).status !== 0)
  fail('It does not compile.', 1);
const outcomes = [];
for (const version of asked.length > 0 ? asked : known) {
  const path = version === installed ? cliIn(ROOT) : cliIn(installPinned(version));
  const said = run(path, ['--version'], { stdio: 'pipe' }).stdout.trim();
  if (!said.startsWith(`${version} `)) fail(`${path} should be ${version} and says it is "${said}".`, 1);
  console.log(`\n== claude ${version}`);
  // Its exit code says whether the script found its anchors; what it prints explains a test that fails below.
  const drift = run('node', ['dist/src/cli/main.js', 'drift', '--cli', path], { stdio: 'inherit' }).status;
  const { status } = run('npx', ['vitest', 'run', '--project', 'slow', 'test/slow/real-cli'], {
    stdio: 'inherit',
    env: { ...process.env, TROUPE_TEST_CLI: path },
  });
  outcomes.push({ version, isGreen: status === 0, drift });
}
const DRIFT = ['no drift', 'DRIFT', 'drift could not be checked'];
for (const { version, isGreen, drift } of outcomes) {
  console.log(`claude ${version}: ${isGreen ? 'green' : 'FAILED'}, ${DRIFT[drift] ?? DRIFT[2]}`);
}
process.exitCode = outcomes.every(({ isGreen, drift }) => isGreen && drift === 0) ? 0 : 1;

function installPinned(version) {
  const folder = join(PINNED, version);
  // Its install script would only copy the binary that is already there.
  const { status } = run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: 'inherit',
  });
  if (status !== 0) fail(`npm ci failed in test/cli-versions/${version}.`, 1);
  return folder;
}

function cliIn(folder) {
  const scope = join(folder, SCOPE);
  const packages = existsSync(scope) ? readdirSync(scope).filter((name) => name.startsWith('claude-code')) : [];
  const name = process.platform === 'win32' ? 'claude.exe' : 'claude';
  const found = packages
    .flatMap((one) => [join(scope, one, name), join(scope, one, 'bin', 'claude.exe')])
    .find((path) => existsSync(path) && statSync(path).size > PLACEHOLDER_MAX_BYTES);
  return found ?? fail(`There is no claude binary for this platform in ${scope}.`, 1);
}

function run(command, args, options) {
  const result = spawnSync(command, args, { cwd: ROOT, encoding: 'utf8', ...options });
  if (result.error !== undefined) fail(`${command} could not be run: ${result.error.message}`, 1);
  return result;
}

function fail(message, code) {
  console.error(message);
  process.exit(code);
}
