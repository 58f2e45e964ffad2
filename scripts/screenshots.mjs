/**
 * Takes the pictures of docs/screenshots from a real run: the real CLI, a model in this process, a real browser.
 * Needs dist (npm run build) and Chromium; TROUPE_TEST_CHROMIUM names another one than /usr/bin/chromium.
 */
import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { createSupervisor } from '../dist/src/index.js';
import { createServer } from '../dist/src/server/index.js';
import { fakeModel, findRealCli, realCliHome } from '../dist/src/testing/index.js';

const FOLDER = fileURLToPath(new URL('../docs/screenshots/', import.meta.url));
const WORK = ['review-parser', 'fix-flaky-test', 'write-changelog', 'port-to-esm', 'measure-start'];

const model = await fakeModel({ slowDelayMs: 60 });
const home = await realCliHome();
const supervisor = createSupervisor({ budget: { maxUsd: 20 } });
const server = await createServer({ supervisor, roots: [home.cwd] });
const browser = await chromium.launch({
  executablePath: process.env.TROUPE_TEST_CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
try {
  const cli = await findRealCli();
  const setting = {
    pathToClaudeCodeExecutable: typeof cli === 'string' ? cli : cli.path,
    cwd: home.cwd,
    env: { ...home.env, ...model.environment() },
    includePartialMessages: true,
  };
  await mkdir(FOLDER, { recursive: true });
  for (const id of WORK) await supervisor.start({ ...setting, id });
  const [first, second, third] = WORK.map((id) => supervisor.session(id));
  await first.prompt('What is 2+2?').result;
  first.prompt('CALL Bash {"command":"npm test -- --run parser","description":"Runs the tests of the parser"}');
  second.prompt('CALL Write {"file_path":"retry.ts","content":"export const attempts = 3;\\n"}');
  third.prompt('SLOW 400');

  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.goto(server.loginUrl());
  await take(page, 'inbox', '#/inbox', '.question >> nth=1');
  await take(page, 'session', `#/sessions/${WORK[0]}`, '.why .muted');
  await take(page, 'fleet', '#/', '.fleet');
} finally {
  await browser.close();
  await server.close();
  await supervisor.shutdown({ timeoutMs: 2_000 });
  await model.close();
  await home.dispose();
}

async function take(page, name, hash, seen) {
  await page.goto(`${server.url}/${hash}`);
  await page.locator(seen).first().waitFor();
  await page.evaluate(() => document.fonts.ready);
  // Two frames, so that what was just told is drawn.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  await page.screenshot({ path: `${FOLDER}${name}.png` });
  console.log(`docs/screenshots/${name}.png`);
}
