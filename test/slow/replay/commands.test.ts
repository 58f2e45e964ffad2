import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../recording/temporary-folder.ts';
import { newFake } from '../session/stage.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const MAIN = join(ROOT, 'dist/src/cli/main.js');

describe('troupe record and troupe replay', () => {
  it('records a run, shows it, and reproduces it with the program of docs/record-and-replay.md', async () => {
    const folder = await temporaryFolder();
    const fake = await newFake();
    const file = join(folder, 'report.ndjson');
    const run = troupe('record', file, '--', '--cli', fake.path, 'Which files are largest?');
    expect([run.status, run.stdout]).toEqual([0, expect.stringContaining('Echo: Which files')]);
    expect(troupe('record', file, '--', '--cli', fake.path, 'again').status).toBe(2);

    const shown = troupe('replay', file);
    expect(shown.stdout).toMatch(
      /→ control_request\/initialize[\s\S]*→ user {2}Which files[\s\S]*← result\/success[\s\S]*· exit/,
    );
    expect(troupe('replay', file, '--json').stdout).toBe(readFileSync(file, 'utf8'));
    expect(troupe('replay', MAIN)).toMatchObject({ status: 1, stderr: expect.stringContaining('RECORDING_INVALID') });

    const page = readFileSync(join(ROOT, 'docs/record-and-replay.md'), 'utf8');
    const [, program = ''] = /```ts\n([\s\S]*?)```/.exec(page) ?? [];
    // Inside the package, so that it finds it by name.
    const path = join(ROOT, 'dist', `sample-${process.pid}.mjs`);
    onTestFinished(() => rmSync(path, { force: true }));
    writeFileSync(path, program);
    copyFileSync(file, join(folder, 'copy.ndjson'));
    const again = spawnSync(process.execPath, [path], { cwd: folder, encoding: 'utf8' });
    expect(again.stdout).toContain('completed Echo: Which files are largest?');
    expect(again.status, again.stderr).toBe(0);
  });

  it('serves a recording as a session that can only be looked at (P11)', async () => {
    const folder = await temporaryFolder();
    const fake = await newFake();
    const file = join(folder, 'report.ndjson');
    troupe('record', file, '--', '--cli', fake.path, 'hello');
    const child = spawn(process.execPath, [MAIN, 'replay', file, '--serve', '--json']);
    onTestFinished(() => void child.kill('SIGKILL'));
    const told = await new Promise<string>((resolve) => child.stdout.once('data', (text) => resolve(String(text))));
    const { url, loginUrl, session } = JSON.parse(told);
    const login = await fetch(loginUrl, { redirect: 'manual' });
    const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? '';
    const sessions = await fetch(`${url}/v1/sessions`, { headers: { cookie } });
    const text = await sessions.text();
    expect([sessions.status, text]).toEqual([200, expect.stringContaining('"state"')]);
    const headers = { cookie, origin: url, 'content-type': 'application/json' };
    const prompt = { method: 'POST', headers, body: JSON.stringify({ content: 'go on' }) };
    const refused = await fetch(`${url}/v1/sessions/${session}/prompts`, prompt);
    expect([refused.status, await refused.json()]).toMatchObject([403, { code: 'SCOPE_MISSING' }]);
    child.kill('SIGTERM');
    expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(143);
  });

  it('leaves at once when it is told to, also in a pause of an hour', async () => {
    const folder = await temporaryFolder();
    const file = join(folder, 'slow.ndjson');
    const header = { format: 'troupe-recording', version: 1 };
    const lines = [0, 3_600_000].map((t) => ({ t, dir: '<', line: '{"type":"keep_alive"}' }));
    writeFileSync(file, [header, ...lines].map((line) => `${JSON.stringify(line)}\n`).join(''));
    const child = spawn(process.execPath, [MAIN, 'replay', file, '--serve', '--speed', '1']);
    onTestFinished(() => void child.kill('SIGKILL'));
    await new Promise((resolve) => child.stdout.once('data', resolve));
    child.kill('SIGINT');
    expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(130);
  });
});

function troupe(...args: string[]) {
  return spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8' });
}
