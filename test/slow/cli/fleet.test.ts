import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { JSON_LINES } from '../../../src/cli/json-lines.ts';
import { findRunFiles } from '../../../src/cli/link/run-file.ts';
import { connect, type TroupeClient } from '../../../src/client/index.ts';
import { type FakeClaude, fakeClaude } from '../../../src/testing/fake-cli/fake-claude.ts';
import { on, step, when } from '../../../src/testing/fake-cli/scenario.ts';
import { type RealCliHome, realCliHome } from '../../../src/testing/real-cli.ts';
import { endStragglers, type Finished, type Running, troupe } from './troupe-process.ts';

/** A turn that nobody waits for to end by itself. */
const LONG = { text: 'so '.repeat(2_000), wordMs: 100 };

let home: RealCliHome;
let fake: FakeClaude;
let server: Running;
let client: TroupeClient;

// One server for all: each test has its own session.
beforeAll(async () => {
  home = await realCliHome();
  fake = await fakeClaude({
    rules: [
      on(when.prompt({ contains: 'list' }), step.toolTurn({ tool: 'Bash', input: { command: 'ls' }, output: 'a b' })),
      on(
        when.prompt({ contains: 'form' }),
        step.request({ name: 'form', subtype: 'elicitation', mcp_server_name: 'calendar', message: 'Which day?' }),
        step.awaitResponse('form'),
        step.result({ result: 'Noted.' }),
      ),
      on(when.prompt({ contains: 'long' }), step.echoTurn(LONG)),
    ],
  });
  const files = ['--store', join(home.home, 'store.db'), '--root', home.cwd, '--token-file', join(home.home, 'tokens')];
  server = troupe(['serve', '--json', '--port', '0', '--cli', fake.path, ...files], {
    env: home.env,
    keepsInput: true,
  });
  await server.saw('}\n');
  const [line] = linesOf(server.said(), JSON_LINES.serve);
  const { servers } = await findRunFiles(home.env);
  const found = servers.find(({ pid }) => pid === line?.pid);
  client = connect({ url: line?.url ?? '', token: found?.token ?? '' });
}, 60_000);

afterAll(async () => {
  server.child.kill('SIGKILL');
  await server.finished;
  endStragglers(dirname(home.home));
  await fake.dispose();
  await home.dispose();
});

describe('a command of the terminal', () => {
  it('`ps`, `explain` and `history` tell of a session, for people and as lines that their schemas know', async () => {
    await started('told');
    const [ps, psText, explain, explainText, fleet, history] = await all(
      ['ps', '--json'],
      ['ps'],
      ['explain', 'told', '--json'],
      ['explain', 'told'],
      ['explain', '--json'],
      ['history', 'told', '--json'],
    );

    expect(linesOf(ps?.stdout, JSON_LINES.ps)).toContainEqual(expect.objectContaining({ id: 'told', state: 'ready' }));
    expect(psText?.stdout).toMatch(/^told +ready/m);
    expect(linesOf(explain?.stdout, JSON_LINES.explain)).toMatchObject([{ id: 'told', waitingFor: ['a prompt'] }]);
    expect(explainText?.stdout).toMatch(/waits for +a prompt/);
    expect(linesOf(fleet?.stdout, JSON_LINES.explain)).toMatchObject([{ phase: 'running' }]);
    expect(linesOf(history?.stdout, JSON_LINES.history).map(({ type }) => type)).toContain('session.started');
    expect(`${psText?.stdout}${explainText?.stdout}`).not.toContain('\u001b');
  });

  it('`prompt` streams the answer; the same id runs once (P2); `logs` have it, and follow until the session ends', async () => {
    await started('prompted');
    const following = ask('logs', 'prompted', '-f', '--json');
    await following.saw('session.started');
    const first = await ask('prompt', 'prompted', 'hello', '--id', 'p-1').finished;
    const again = await ask('prompt', 'prompted', 'hello', '--id', 'p-1', '--json').finished;
    const sent = await ask('prompt', 'prompted', 'later', '--no-wait', '--json').finished;
    const stopped = await ask('stop', 'prompted', '--json').finished;
    const { code, stdout } = await following.finished;
    const logged = linesOf(stdout, JSON_LINES.logs);

    expect(first).toMatchObject({ code: 0, stdout: 'Echo: hello\n', stderr: '' });
    expect(linesOf(again.stdout, JSON_LINES.prompt).at(-1)).toMatchObject({
      type: 'prompt.result',
      outcome: 'completed',
    });
    expect(linesOf(sent.stdout, JSON_LINES.prompt)).toMatchObject([{ type: 'prompt.sent', sessionId: 'prompted' }]);
    expect(linesOf(stopped.stdout, JSON_LINES.stop)).toMatchObject([{ type: 'session.stopped', ended: {} }]);
    expect(code).toBe(0);
    expect(logged.map((event) => ('seq' in event ? event.seq : 0))).toEqual(logged.map((_, at) => at + 1));
    expect(logged.filter(({ type }) => type === 'prompt.accepted')).toHaveLength(2);
    expect(logged.at(-1)?.type).toBe('session.ended');
  });

  it('`inbox` shows a question, `approve` and `deny` answer it by the name of its session, once (P4)', async () => {
    await Promise.all(['allowed', 'denied'].map((id) => asking(id, 'list')));
    const [inbox, text] = await all(['inbox', '--json'], ['inbox']);
    const [approved, denied] = await all(
      ['approve', 'allowed', '--json'],
      ['deny', 'denied', '--message', 'not on a Friday', '--json'],
    );
    const questions = linesOf(inbox?.stdout, JSON_LINES.inbox);
    const asked = questions.find(({ sessionId }) => sessionId === 'denied')?.globalId ?? '';
    const [late, none] = await all(['approve', asked], ['deny', 'allowed']);
    const [log] = await all(['logs', 'denied', '--json']);

    expect(questions).toContainEqual(
      expect.objectContaining({ sessionId: 'allowed', toolName: 'Bash', input: { command: 'ls' } }),
    );
    expect(text?.stdout).toMatch(/denied~.*\n\? Bash\n {2}│ ls\n/);
    expect(linesOf(approved?.stdout, JSON_LINES.approve)).toMatchObject([
      { settlement: { outcome: 'allowed', by: 'owner' } },
    ]);
    expect(linesOf(denied?.stdout, JSON_LINES.deny)).toMatchObject([
      { settlement: { outcome: 'denied', by: 'owner' } },
    ]);
    expect(late).toMatchObject({ code: 1, stderr: expect.stringContaining('(PERMISSION_SETTLED)') });
    expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining('troupe inbox lists what is') });
    expect(linesOf(log?.stdout, JSON_LINES.logs).filter(({ type }) => type === 'permission.settled')).toHaveLength(1);
    expect(log?.stdout).toContain('not on a Friday');
  });

  it('`inbox` shows what an MCP server asks, and `approve` gives it the values (P4)', async () => {
    await asking('form', 'form');
    const [inbox, text] = await all(['inbox', '--json'], ['inbox']);
    const [approved] = await all(['approve', 'form', '--json', '--input', '{"day":"Friday"}']);

    expect(linesOf(inbox?.stdout, JSON_LINES.inbox)).toMatchObject([{ elicitation: { message: 'Which day?' } }]);
    expect(text?.stdout).toContain('Which day?');
    expect(linesOf(approved?.stdout, JSON_LINES.approve)).toMatchObject([
      { kind: 'elicitation', settlement: { by: 'owner' } },
    ]);
  });

  it('`steer` goes into the turn that runs, `interrupt` ends it, and who waited for it exits 130', async () => {
    await started('steered');
    const running = ask('prompt', 'steered', 'long');
    await running.saw('so so');
    const steered = await ask('steer', 'steered', 'only the parser', '--json').finished;
    const interrupted = await ask('interrupt', 'steered', '--cancel-queued', '--json').finished;

    expect(linesOf(steered.stdout, JSON_LINES.steer)).toMatchObject([{ type: 'prompt.sent' }]);
    expect(linesOf(interrupted.stdout, JSON_LINES.interrupt)).toMatchObject([{ sessionId: 'steered' }]);
    expect((await running.finished).code).toBe(130);
  });

  it('`attach` in a pipe shows what happens, and ends with the session (P7)', async () => {
    await started('attached');
    const [text, json] = [ask('attach', 'attached'), ask('attach', 'attached', '--json')];
    const session = client.session('attached');
    await session.prompt('long').accepted;
    await Promise.all([text.saw('so so'), json.saw('stream_event')]);
    await session.interrupt();
    await session.close();
    const [shown, told] = await Promise.all([text.finished, json.finished]);

    expect([shown.code, told.code]).toEqual([0, 0]);
    expect(shown.stdout).toContain('> long\n');
    expect(linesOf(told.stdout, JSON_LINES.attach).at(-1)?.type).toBe('session.ended');
  });

  it.each([
    [
      'an id that no session has',
      ['explain', 'tolt'],
      1,
      /Did you mean "told"\? troupe ps lists them\. \(SESSION_NOT_FOUND\)/,
    ],
    ['a command that is none', ['atach', 'told'], 2, /Did you mean attach\?/],
    ['an option that is none', ['ps', '--wacth'], 2, /Did you mean --watch\?/],
    ['an argument that is missing', ['interrupt'], 2, /missing required argument 'session'/],
    ['a table without a terminal', ['ps', '--watch'], 2, /elsewhere take --json/],
    ['an input that is no object', ['approve', 'told', '--input', '[]'], 2, /expected an object of JSON/],
    [
      'a token file that is not there',
      ['ps', '--server', 'http://127.0.0.1:9', '--token-file', '/nonexistent'],
      1,
      /nonexistent/,
    ],
    ['a server that is not there', ['ps', '--server', 'http://127.0.0.1:9'], 3, /Say where its token is: --token-file/],
  ])('answers %s by what is wrong and what to do, and by its exit code', async (_, args, code, told) => {
    const finished = await ask(...args).finished;

    expect(finished).toMatchObject({ code, stdout: '' });
    expect(finished.stderr).toMatch(told);
    expect(finished.stderr).not.toMatch(/\n {4}at /);
  });

  // The last one: it ends the server.
  it('`drain` tells the phases and ends with the server; then there is none, exit 3', async () => {
    const watching = ask('ps', '--watch', '--json');
    await watching.saw('"snapshot"');
    const drained = await ask('drain', '--timeout', '1', '--json').finished;
    const phases = linesOf(drained.stdout, JSON_LINES.drain);
    expect(drained.code).toBe(0);
    expect(phases.length).toBeGreaterThan(0);
    expect((await server.finished).code).toBe(0);
    watching.child.kill('SIGINT');
    const watched = await watching.finished;
    expect(linesOf(watched.stdout, JSON_LINES['ps --watch']).map(({ type }) => type)).toContain('snapshot');
    expect(watched.code).toBe(130);

    expect(await ask('ps').finished).toMatchObject({ code: 3, stderr: expect.stringContaining('troupe serve') });
    const kept = await ask('ps', '--store', join(home.home, 'store.db'), '--json').finished;
    expect(linesOf(kept.stdout, JSON_LINES['ps --store']).map(({ sessionId }) => sessionId)).toContain('told');
  });
});

function ask(...args: string[]): Running {
  return troupe(args, { env: home.env });
}

function all(...commands: string[][]): Promise<Finished[]> {
  return Promise.all(commands.map((args) => ask(...args).finished));
}

/** Every line is JSON, and what the schema says; a field that is not in it is a failure here. */
function linesOf<S extends z.ZodType>(text: string | undefined, schema: S): z.infer<S>[] {
  const lines = (text ?? '').split('\n').filter((line) => line !== '');
  return lines.map((line) => schema.parse(JSON.parse(line)));
}

async function started(id: string) {
  await client.start({ id, cwd: home.cwd, includePartialMessages: true });
}

async function asking(id: string, prompt: string): Promise<void> {
  await started(id);
  await client.session(id).prompt(prompt).accepted;
  const session = client.session(id);
  await new Promise<void>((resolve) => {
    const stop = session.onEvent((event) => {
      if (event.type !== 'permission.requested') return;
      queueMicrotask(() => stop());
      resolve();
    });
  });
}
