import { afterEach, describe, expect, it } from 'vitest';
import { connect, type RemoteEvent, type RemoteTurn } from '../../../src/client/index.ts';
import { createSupervisor, type SupervisorOptions, TroupeError } from '../../../src/index.ts';
import { createServer } from '../../../src/server/server.ts';
import { TOKENS } from '../../server/stage.ts';
import { type MemoryPrompt, memoryFleet } from '../../supervision/memory-cli.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

describe('the client at a real server', () => {
  it('sends a prompt, reads its messages from the cursor of its acceptance, and gets its result (P2, P7)', async () => {
    const { client } = await served((prompt) => {
      prompt.cli.say(assistant(`You said ${prompt.text}`));
      prompt.complete(`answer to ${prompt.text}`, { total_cost_usd: 0.25 });
    });
    const session = await client.start({ id: 'a' });
    const first = session.prompt('one', { id: 'first' });
    await first.accepted;
    expect(await first.result).toMatchObject({ promptId: 'first', outcome: 'completed', text: 'answer to one' });
    const second = session.prompt('two');

    expect(await textsOf(second)).toEqual(['You said two']);
    // However late: the log still has it, and nothing of the other one.
    expect(await textsOf(first)).toEqual(['You said one']);
    expect(await session.prompt('one', { id: 'first' }).result).toMatchObject({ text: 'answer to one' });
    await expect(session.prompt('other', { id: 'first' }).accepted).rejects.toMatchObject({ code: 'PROMPT_ID_USED' });
    expect((await session.read()).usage).toMatchObject({ turns: 2, costUsd: 0.25 });
  });

  it('says right before which event a prompt was accepted, the same on every asking (P7)', async () => {
    const { client } = await served();
    const session = await client.start({ id: 'a' });
    const send = () =>
      client.ask<{ promptId: string; cursor: string }>('/v1/sessions/a/prompts', {
        method: 'POST',
        body: { content: 'one', id: 'first' },
      });
    const { cursor } = await send();
    await session.prompt('two').result;
    expect((await send()).cursor).toBe(cursor);
    const told = await taken(client.session('a', { cursor }).events(), 2);

    expect(told[0]).toMatchObject({ type: 'snapshot', view: { prompts: [], state: 'ready' } });
    expect(told[0]).not.toHaveProperty('reset');
    expect(told[1]).toMatchObject({ type: 'prompt.accepted', promptId: 'first', from: 'owner' });
  });

  it('throws what is missing of a turn whose messages are not kept any more (P6)', async () => {
    const { client } = await served(
      (prompt) => {
        for (let line = 0; line < 30; line += 1) prompt.cli.say(assistant(`${line}`));
        prompt.complete();
      },
      { limits: { maxLogItems: 10 } },
    );
    const turn = (await client.start({ id: 'a' })).prompt('one');
    await turn.result;

    await expect(textsOf(turn)).rejects.toMatchObject({ code: 'SUBSCRIBER_LAGGED' });
  });

  it('answers questions: the first one wins, and a later one is told who that was (P4)', async () => {
    const { client, as } = await served(askBash);
    const session = await client.start({ id: 'a' });
    const stop = session.view.subscribe(() => {});
    closing.push(async () => stop());
    const turn = session.prompt('run it');
    await expect.poll(() => session.permissions.pending().map(({ toolName }) => toolName)).toEqual(['Bash']);
    const [question] = session.permissions.pending();
    const id = question?.id ?? '';
    await expect(session.permissions.answer(id, { behavior: 'maybe' })).rejects.toMatchObject({
      code: 'INVALID_ANSWER',
    });
    await as('ann').session('a').permissions.answer(id, { behavior: 'allow' });
    const late = await session.permissions.answer(id, { behavior: 'deny' }).catch((error: unknown) => error);

    expect(late).toBeInstanceOf(TroupeError);
    expect(late).toMatchObject({ code: 'PERMISSION_SETTLED', details: { by: 'ann', httpStatus: 409 } });
    expect(await turn.result).toMatchObject({ outcome: 'completed', text: 'ran it' });
    await expect
      .poll(() => session.view.get()?.settled)
      .toMatchObject([{ id, toolName: 'Bash', outcome: 'allowed', by: 'ann' }]);
    await expect(session.permissions.answer('nothing', { behavior: 'allow' })).rejects.toMatchObject({
      code: 'PERMISSION_NOT_FOUND',
    });
    await expect(as('bot').session('a').permissions.answer(id, { behavior: 'allow' })).rejects.toMatchObject({
      details: { httpStatus: 403 },
    });
  });

  it('steers, takes back, interrupts and closes; the view follows to the end (P5)', async () => {
    const { client, prompts } = await served(() => {});
    const session = await client.start({ id: 'a' });
    const told: RemoteEvent[] = [];
    const reading = (async () => {
      for await (const event of session.events()) told.push(event);
    })();
    const turn = session.prompt('long work');
    await expect.poll(() => session.view.get()?.turn?.promptIds).toEqual([turn.id]);
    const waiting = session.prompt('later');
    await waiting.accepted;
    expect(await waiting.cancel()).toBe(true);
    expect(await waiting.result).toMatchObject({ outcome: 'cancelled' });
    await session.interrupt();
    expect(await turn.result).toMatchObject({ outcome: 'interrupted' });
    await session.prompt('more work').accepted;
    await expect.poll(() => prompts.length).toBe(2);
    await session.steer('by the way').accepted;
    await expect.poll(() => prompts.map(({ text }) => text)).toEqual(['long work', 'more work', 'by the way']);
    await session.close();
    await reading;

    expect(told.at(-1)).toMatchObject({ type: 'session.ended', cause: { code: 'closed' } });
    expect(session.view.get()).toMatchObject({ state: 'closed', ended: { cause: { code: 'closed' } } });
    await expect(session.prompt('more').accepted).rejects.toMatchObject({ code: 'SESSION_CLOSED' });
  });

  it('goes on with the next session of an id that is used again (P7)', async () => {
    const { client } = await served();
    await (await client.start({ id: 'a' })).close();
    const again = await client.start({ id: 'a' });
    const stop = again.view.subscribe(() => {});
    closing.push(async () => stop());
    await again.prompt('one', { id: 'mine' }).result;

    await expect.poll(() => again.view.get()?.prompts).toMatchObject([{ id: 'mine', outcome: 'completed' }]);
    expect(again.view.get()?.ended).toBeUndefined();
  });

  it('refuses with the codes of the library', async () => {
    const { client, as, url } = await served();
    const code = (what: Promise<unknown>) =>
      what.then(
        () => 'none',
        (error: TroupeError) => [error.code, error.details['httpStatus']],
      );
    const unknown = client.session('nobody');

    expect(await code(unknown.read())).toEqual(['SESSION_NOT_FOUND', 404]);
    expect(await code(taken(unknown.events(), 1))).toEqual(['SESSION_NOT_FOUND', 404]);
    expect(await code(client.start({ id: 'a', mode: 'x' }))).toEqual(['REQUEST_INVALID', 400]);
    expect(await code(as('rita').start({ id: 'a' }))).toEqual(['SCOPE_MISSING', 403]);
    expect(await code(connect({ url, token: 'none' }).sessions())).toEqual(['UNAUTHENTICATED', 401]);
    expect(await code(connect({ url, token: 'none' }).ask('/v1/sessions', { signal: AbortSignal.abort() }))).toEqual([
      'ABORTED',
      undefined,
    ]);
    expect(await code(connect({ url: 'http://127.0.0.1:1' }).ask('/v1/sessions', { isRepeatable: false }))).toEqual([
      'SERVER_UNREACHABLE',
      undefined,
    ]);
  });
});

async function served(answer?: (prompt: MemoryPrompt) => void, options: SupervisorOptions = {}) {
  const fleet = memoryFleet(answer);
  const supervisor = createSupervisor({
    reap: 'off',
    spawn: fleet.open,
    pathToClaudeCodeExecutable: process.execPath,
    ...options,
  });
  closing.push(() => supervisor.shutdown());
  const { url, close } = await createServer({ supervisor, port: 0, tokens: TOKENS, dashboard: false });
  closing.push(close);
  const as = (name: string) => {
    const token = TOKENS.find((one) => one.name === name)?.token;
    return connect({ url, ...(token === undefined ? {} : { token }) });
  };
  return { url, client: as('owner'), as, prompts: fleet.prompts };
}

function assistant(text: string) {
  return { type: 'assistant', message: { id: 'm', role: 'assistant', content: [{ type: 'text', text }] } };
}

/** A CLI whose turn asks before it runs Bash, and ends with the answer. */
function askBash(prompt: MemoryPrompt): void {
  const request = { subtype: 'can_use_tool', tool_name: 'Bash', input: { command: 'ls' }, tool_use_id: 'toolu_1' };
  prompt.cli.peer.onInput((line) => {
    if (line.includes('"control_response"') && line.includes('q1')) prompt.complete('ran it');
  });
  prompt.cli.say({ type: 'control_request', request_id: 'q1', request });
}

async function textsOf(turn: RemoteTurn): Promise<string[]> {
  const lines: { type: string; message: { content: { text: string }[] } }[] = [];
  for await (const { kind, line } of turn) if (kind === 'assistant') lines.push(JSON.parse(line));
  return lines.map(({ message }) => message.content[0]?.text ?? '');
}

async function taken(events: AsyncGenerator<RemoteEvent>, count: number): Promise<RemoteEvent[]> {
  const told: RemoteEvent[] = [];
  for await (const event of events) if (told.push(event) === count) break;
  return told;
}
