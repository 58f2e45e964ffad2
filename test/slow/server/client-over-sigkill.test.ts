import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it } from 'vitest';
import { connect } from '../../../src/client/index.ts';
import { on, step, when } from '../../../src/testing/fake-cli/scenario.ts';
import { newFake } from '../session/stage.ts';

const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

describe('a client of a server that is killed in the middle of a stream', () => {
  it('goes on by its cursor: every event once, in order, and what was sent meanwhile runs once (P2, P7)', async () => {
    const talk = step.echoTurn({ text: 'and so on and on and on and on and on', lines: 200, wordMs: 2 });
    const fake = await newFake({ rules: [on(when.prompt('talk'), talk)] });
    const folder = await mkdtemp(join(tmpdir(), 'troupe-client-'));
    cleanups.push(() => rm(folder, { recursive: true, force: true }));
    const first = await serve({ folder, cli: fake.path, port: '0' });
    const client = connect(first);
    const session = await client.start({ id: 'review' });
    const seqs: number[] = [];
    const resets: boolean[] = [];
    const stop = session.onEvent((event) => {
      if ('epoch' in event) seqs.push(event.seq);
      if (event.type === 'snapshot') resets.push(event.reset === true);
    });
    cleanups.push(async () => stop());
    await expect.poll(() => session.connection.get()).toBe('live');
    const from = session.view.get()?.seq ?? 0;
    const quick = session.prompt('quick', { id: 'quick' });
    expect(await quick.result).toMatchObject({ outcome: 'completed' });
    const cut = session.prompt('talk', { id: 'cut' });
    await cut.accepted;
    const seen = seqs.length;
    await expect.poll(() => seqs.length).toBeGreaterThan(seen + 15);

    first.process.kill('SIGKILL');
    await once(first.process, 'exit');
    const meanwhile = session.prompt('meanwhile', { id: 'meanwhile' });
    await expect.poll(() => session.connection.get()).toBe('waiting');
    await serve({ folder, cli: fake.path, port: new URL(first.url).port });

    expect(await meanwhile.result).toMatchObject({ outcome: 'completed', text: 'Echo: meanwhile' });
    // Over the loss of the host, too, it has an end, and one only.
    const { outcome } = await cut.result;
    await expect
      .poll(() => session.view.get()?.prompts.map((prompt) => prompt.outcome))
      .toEqual(['completed', outcome, 'completed']);
    const newest = await session.read();
    await expect.poll(() => session.view.get()?.seq).toBeGreaterThanOrEqual(newest.seq);
    expect(session.view.get()).toEqual(await session.read());
    expect(seqs).toEqual(Array.from({ length: seqs.length }, (_, index) => from + index + 1));
    expect(resets.slice(1)).not.toContain(true);
    const heard = (await fake.journal()).filter((entry) => JSON.stringify(entry).includes('"content":"meanwhile"'));
    expect(heard).toHaveLength(1);
  });
});

interface ServeOptions {
  readonly folder: string;
  readonly cli: string;
  readonly port: string;
}

async function serve({ folder, cli, port }: ServeOptions) {
  const tokens = join(folder, 'tokens');
  const flags = ['--store', join(folder, 'store.db'), '--token-file', tokens, '--root', folder];
  const args = ['dist/src/cli/main.js', 'serve', ...flags, '--cli', cli, '--port', port, '--json'];
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  cleanups.push(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  });
  if (child.stdout === null) throw new Error('It has no output.');
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const { url } = JSON.parse(String(line)) as { url: string };
  const [token = ''] = (await readFile(tokens, 'utf8')).split('\n')[1]?.split(' ') ?? [];
  return { process: child, url, token };
}
