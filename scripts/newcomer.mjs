// The way of somebody new, timed: a fresh clone, then the two commands of the README up to a live session on the dashboard of a
// real browser. Fails when it takes longer than three minutes. Needs git, Chromium and a registry of packages.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const LIMIT_MS = 180_000;
const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

const executablePath = [process.env['TROUPE_TEST_CHROMIUM'], ...PLACES].find((path) => path && existsSync(path));
if (executablePath === undefined) {
  console.error('Chromium is missing: apt-get install chromium, or name one in TROUPE_TEST_CHROMIUM.');
  process.exit(2);
}
const folder = mkdtempSync(join(tmpdir(), 'troupe-newcomer-'));
const checkout = join(folder, 'troupe');
let demo;
let browser;
try {
  run('git', ['clone', '--quiet', `file://${ROOT}`, checkout], folder);
  const begin = performance.now();
  const lap = (what) => console.log(`${((performance.now() - begin) / 1_000).toFixed(1).padStart(6)} s  ${what}`);
  console.log('$ npm ci');
  run('npm', ['ci'], checkout);
  lap('installed and built');
  console.log('$ npm run demo -- --dashboard');
  demo = spawn('npm', ['run', 'demo', '--', '--dashboard'], { cwd: checkout, detached: true });
  const address = await addressOf(demo);
  lap('the address is printed');
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  const page = await browser.newPage();
  await page.goto(address);
  await page.getByText('stagehand').first().waitFor({ timeout: LIMIT_MS });
  await page.getByText('awaiting-permission').first().waitFor({ timeout: LIMIT_MS });
  lap('a live session is on the dashboard, and waits for permission');
  const tookMs = performance.now() - begin;
  if (tookMs > LIMIT_MS) throw new Error(`it took ${Math.round(tookMs / 1_000)} s; ${LIMIT_MS / 1_000} s are allowed`);
} catch (error) {
  console.error(`The way is blocked: ${error.message}`);
  process.exitCode = 1;
} finally {
  await browser?.close();
  await ended(demo);
  rmSync(folder, { recursive: true, force: true });
}

function run(command, args, cwd) {
  const { status, error, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}: ${stderr.slice(-2_000)}`);
}

function addressOf(child) {
  return new Promise((resolve, reject) => {
    let said = '';
    const timer = setTimeout(() => reject(new Error(`no address came; it said: ${said}`)), LIMIT_MS);
    const hear = (chunk) => {
      said += chunk;
      const address = /http:\S+login\S+/.exec(said)?.[0];
      if (address === undefined) return;
      clearTimeout(timer);
      resolve(address);
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.once('exit', (code) => reject(new Error(`the demo ended with ${code}: ${said}`)));
  });
}

/** Ctrl-C reaches the whole group, as at a terminal. */
async function ended(child) {
  if (child?.pid === undefined || child.exitCode !== null) return;
  const over = new Promise((resolve) => child.once('exit', resolve));
  process.kill(-child.pid, 'SIGINT');
  const timer = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), 30_000);
  await over;
  clearTimeout(timer);
}
