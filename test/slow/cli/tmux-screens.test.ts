import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connect, type TroupeClient } from '../../../src/client/index.ts';
import { type FakeClaude, fakeClaude } from '../../../src/testing/fake-cli/fake-claude.ts';
import { on, step, when } from '../../../src/testing/fake-cli/scenario.ts';
import { type FakeModel, fakeModel } from '../../../src/testing/fake-model/fake-model.ts';
import { type RealCliHome, realCliHome } from '../../../src/testing/real-cli.ts';
import { cliUnderTest } from '../real-cli/cli-under-test.ts';
import { troupeInTmux } from './tmux.ts';
import { endStragglers, troupe } from './troupe-process.ts';

/** It would name the window, and wipe everything away. */
const HOSTILE = '\u001b]0;owned\u0007\u001b[2J\u001b[Hstill here';

let home: RealCliHome;
let model: FakeModel;
let fake: FakeClaude;
let env: Record<string, string>;

beforeEach(async () => {
  model = await fakeModel();
  home = await realCliHome();
  fake = await fakeClaude({
    rules: [
      on(when.prompt({ contains: 'Write' }), step.toolTurn({ tool: 'Write', input: written(), output: 'written' })),
      on(when.prompt({ contains: 'hostile' }), step.echoTurn({ text: HOSTILE })),
    ],
  });
  env = { ...home.env, ...model.environment(), CLAUDE_CODE_MAX_RETRIES: '1', TERM: 'xterm-256color' };
});

afterEach(async () => {
  endStragglers(dirname(home.home));
  await fake.dispose();
  await model.close();
  await home.dispose();
});

const written = () => ({ file_path: join(home.cwd, 'notes.txt'), content: 'one\ntwo\n' });
const ask = () => `CALL Write ${JSON.stringify(written())}`;

describe.each(['the fake CLI', 'the real CLI'])('on a terminal, with %s', (which) => {
  const path = async () => (which === 'the fake CLI' ? fake.path : (await cliUnderTest()).path);

  it('`run` asks before a tool, and goes on by a key', async () => {
    const pane = await troupeInTmux(['run', '--cwd', home.cwd, '--cli', await path(), ask()], { env });
    await pane.shows('[N]o');
    await pane.types('y\r');
    const screen = normalised(await pane.shows('[exit'));

    expect(screen.find((line) => line.startsWith('Allow Write {"file_path"'))).toBeDefined();
    expect(screen.at(-1)).toMatch(/\[exit 0\]$/);
    expect(screen.join('')).toContain('Tool said:');
  });

  it('`ps --watch` follows the fleet, takes another size, and gives the terminal back', async () => {
    const client = await serving(await path());
    await client.start({ id: 'review-1', cwd: home.cwd });
    const pane = await troupeInTmux(['ps', '--watch'], { env });
    expect(normalised(await pane.shows('ready.idle'))).toEqual([
      'troupe  1 session, 0 working, 0 questions  live  <time>',
      '',
      expect.stringMatching(/^SESSION {3}STATE {7}FOR +ASKS {2}QUEUE {2}TURNS {2}RESTARTS {2}COST/),
      expect.stringMatching(/^review-1 {2}ready\.idle {2}<age> +- +- +- +-/),
      ...blanks(25),
      'q leave   ↑ ↓ move',
    ]);

    await client.session('review-1').prompt(ask()).accepted;
    const asking = normalised(await pane.shows('awaiting-permission'));
    expect(asking[3]).toMatch(/^review-1 {2}awaiting-permission {2}<age> +1 +- /);
    await pane.resize(50, 8);
    expect(normalised(await pane.shows(/^q leave.*$/m)).length).toBeLessThanOrEqual(8);
    await pane.presses('q');
    expect(await pane.shows('[exit')).toEqual(['[exit 0]']);
  });

  it('`attach` shows the changes that a question is about, and allows them by a key; `explain` says what it waits for', async () => {
    const client = await serving(await path());
    await client.start({ id: 'review-1', cwd: home.cwd });
    const pane = await troupeInTmux(['attach', 'review-1'], { env, rows: 40 });
    await pane.shows('p prompt  q detach');
    await pane.presses('p');
    await pane.types(ask());
    await pane.presses('Enter');
    const asked = normalised(await pane.shows('Allow Write?'));
    const card = asked.findIndex((line) => line.startsWith('? '));
    expect(asked.slice(card + 1).filter((line) => line.startsWith('  │'))).toEqual([
      '  │ <cwd>/notes.txt',
      '  │ + one',
      '  │ + two',
    ]);
    expect(asked.slice(-3)).toEqual([
      expect.stringMatching(/^ review-1 {2}awaiting-permission {2}<age>/),
      'Allow Write?  y allow  a in this session  A always  n deny  N deny because  v view',
      's steer  i interrupt  q detach',
    ]);

    const explained = await troupeInTmux(['explain', 'review-1'], { env, columns: 120 });
    const why = normalised(await explained.shows('[exit'));
    expect(why[0]).toMatch(/^review-1 {2}awaiting-permission \(requires_action\) for <age>, since <time>$/);
    expect(why[1]).toBe('  why       1 permission request waits for an answer.');
    expect(why.join('\n')).toMatch(/^ {2}answer {4}Write, asked <age> ago: troupe approve review-1~/m);

    await pane.presses('y');
    const done = normalised(await pane.shows('the turn ended'));
    expect(done.join('\n')).toMatch(/^· Write: allowed by owner$/m);
    expect(done.join('\n')).toMatch(/^ {2}✓ /m);
    expect(existsSync(join(home.cwd, 'notes.txt'))).toBe(which === 'the real CLI');
    await pane.presses('q');
    expect((await pane.shows('[exit')).slice(-2)).toEqual([
      'Detached: review-1 goes on. troupe attach review-1 comes back.',
      '[exit 0]',
    ]);
  });
});

describe('on a terminal', () => {
  it('what an agent writes is shown and not obeyed (P11)', async () => {
    const client = await serving(fake.path);
    await client.start({ id: 'review-1', cwd: home.cwd });
    await client.session('review-1').prompt('hostile').result;
    const attached = await troupeInTmux(['attach', 'review-1'], { env });
    const logged = await troupeInTmux(['logs', 'review-1'], { env, columns: 200, rows: 60 });
    const ran = await troupeInTmux(['run', '--cwd', home.cwd, '--cli', fake.path, 'hostile'], { env });

    expect(await attached.shows('the turn ended')).toContain('> hostile');
    for (const pane of [attached, logged, ran]) {
      await pane.shows('still here');
      expect(await pane.title()).not.toContain('owned');
    }
    expect(await ran.shows('[exit')).toEqual(['\ufffd]0;owned\ufffd\ufffd[2J\ufffd[Hstill here', '[exit 0]']);
  });

  it('`attach` lives through the loss of its server, and says so', async () => {
    const first = await served(fake.path);
    await first.client.start({ id: 'review-1', cwd: home.cwd });
    const pane = await troupeInTmux(['attach', 'review-1'], { env });
    await pane.shows('p prompt  q detach');
    first.program.child.kill('SIGKILL');
    await first.program.finished;
    await pane.shows('the server does not answer, again in');

    const second = await served(fake.path, new URL(first.url).port);
    await pane.shows('Connected again.');
    await second.client.session('review-1').prompt('hello').accepted;
    expect(normalised(await pane.shows('the turn ended'))).toContain('> hello');
  });
});

async function serving(cli: string): Promise<TroupeClient> {
  return (await served(cli)).client;
}

/** A `troupe serve` that the commands find by its run file. */
async function served(cli: string, port = '0') {
  const files = ['--token-file', join(home.home, 'tokens'), '--store', join(home.home, 'store.db'), '--root', home.cwd];
  const program = troupe(['serve', '--json', '--port', port, '--cli', cli, ...files], { env, keepsInput: true });
  let stdout = '';
  program.child.stdout?.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  await program.saw('}\n');
  const { url } = JSON.parse(stdout) as { url: string };
  const [token = ''] = readFileSync(join(home.home, 'tokens'), 'utf8').split('\n')[1]?.split(' ') ?? [];
  return { program, url, client: connect({ url, token }) };
}

/** What differs between two runs, and between two CLIs, named. */
function normalised(screen: readonly string[]): string[] {
  return screen.map((line) =>
    line
      .replaceAll(home.cwd, '<cwd>')
      .replaceAll(/\d\d:\d\d:\d\d/g, '<time>')
      .replaceAll(/\b\d+ (s|min)\b/g, '<age>'),
  );
}

function blanks(count: number): string[] {
  return Array.from({ length: count }, () => '');
}
