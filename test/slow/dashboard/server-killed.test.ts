import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it } from 'vitest';
import { on, step, when } from '../../../src/testing/fake-cli/scenario.ts';
import { newFake } from '../session/stage.ts';
import { oneBrowser } from './browser.ts';

const { open } = oneBrowser();
const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

describe('the dashboard of a server that is killed', () => {
  it('goes on by itself when the server is back on the same store (P7, P8)', async () => {
    const fake = await newFake({ rules: [on(when.prompt('hello'), step.echoTurn({ text: 'said before' }))] });
    const folder = await mkdtemp(join(tmpdir(), 'troupe-dashboard-'));
    cleanups.push(() => rm(folder, { recursive: true, force: true }));
    const port = await freePort();
    const first = await serve({ folder, cli: fake.path, port });
    const page = await open(first.loginUrl, '#/sessions/review');
    await page.evaluate(() =>
      fetch('v1/sessions', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ id: 'review' }),
      }),
    );
    await page.reload();
    const send = async (text: string) => {
      await page.getByRole('textbox', { name: 'Prompt' }).fill(text);
      await page.getByRole('button', { name: 'Send' }).click();
    };
    await send('hello');
    await page.locator('.transcript').getByText('said before').waitFor();
    await page.locator('.queue .chip', { hasText: 'completed' }).waitFor();

    first.process.kill('SIGKILL');
    await once(first.process, 'exit');
    await page.locator('.connection:not(.live)').first().waitFor();
    await serve({ folder, cli: fake.path, port });
    await page.locator('.session .connection.live, .frame-head .connection.live').first().waitFor();
    await send('again');
    await page.locator('.queue .chip', { hasText: 'completed' }).nth(1).waitFor();
    await page.locator('.transcript').getByText('Echo: again').waitFor();
    expect((await page.locator('.transcript').textContent())?.split('said before').length).toBe(2);
  });
});

interface ServeOptions {
  readonly folder: string;
  readonly cli: string;
  readonly port: number;
}

async function serve({ folder, cli, port }: ServeOptions) {
  const flags = ['--store', join(folder, 'troupe.db'), '--token-file', join(folder, 'tokens'), '--root', folder];
  const args = ['dist/src/cli/main.js', 'serve', ...flags, '--cli', cli, '--port', String(port), '--json'];
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  cleanups.push(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  });
  if (child.stdout === null) throw new Error('It has no output.');
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const { loginUrl } = JSON.parse(String(line)) as { loginUrl: string };
  return { process: child, loginUrl };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
