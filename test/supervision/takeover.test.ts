import { describe, expect, it } from 'vitest';
import type { CanUseTool } from '../../src/permissions/can-use-tool.ts';
import type { MemoryPrompt } from './memory-cli.ts';
import { recoveryHouse } from './recovery-house.ts';

const allow: CanUseTool = async () => ({ behavior: 'allow' });

describe('a held session is taken over by a start with its id', () => {
  it('goes on with the options given: same handle, log and usage; its queue runs once, in order (P2, P8)', async () => {
    const house = recoveryHouse((prompt) => {
      if (prompt.text !== 'Do p1' || house.fleet.prompts.length > 2) prompt.complete();
    });
    const first = house.host();
    const before = await first.supervisor.start({ id: 'one', canUseTool: allow });
    await before.prompt('Before', { id: 'p0' }).result;
    const turns = ['p1', 'p2', 'p3'].map((id) => before.prompt(`Do ${id}`, { id }));
    await Promise.all(turns.map(({ accepted }) => accepted));
    await until(() => house.fleet.prompts.length === 2);
    await settle();
    first.lose();

    const { supervisor } = house.host();
    await supervisor.recovered;
    const waiting = supervisor.session('one');
    expect(waiting?.state).toBe('held');
    expect(house.fleet.started).toHaveLength(1);
    const seen: number[] = [];
    void (async () => {
      for await (const event of waiting?.events({ from: 0 }) ?? [])
        if (event.type !== 'replay.completed' && 'seq' in event) seen.push(event.seq);
    })();

    const session = await supervisor.start({ id: 'one', canUseTool: allow });
    expect(session).toBe(waiting);
    expect(supervisor.session('one')).toBe(session);
    const results = await Promise.all(['p1', 'p2', 'p3'].map((id) => session.prompt(`Do ${id}`, { id }).result));
    expect(results.map(({ outcome }) => outcome)).toEqual(['completed', 'completed', 'completed']);
    expect(house.fleet.prompts.map(({ text }) => text)).toEqual(['Before', 'Do p1', 'Do p1', 'Do p2', 'Do p3']);
    expect(session.usage().turns).toBe(4);
    expect(session.incarnation).toBe(2);
    await expect(supervisor.start({ id: 'one' })).rejects.toMatchObject({ code: 'SESSION_EXISTS' });

    await session.close();
    expect(await session.ended).toMatchObject({ reason: 'closed' });
    await settle();
    expect(seen).toEqual(seen.map((_, index) => index + 1));
    expect(seen.length).toBeGreaterThan(20);
    await supervisor.shutdown();
  });

  it('asks the callback that is given back what was open, once, under the same id (P4)', async () => {
    const answers: unknown[] = [];
    const house = recoveryHouse((prompt) => ask(prompt, answers));
    const first = house.host({ onPromptLost: 'retry' });
    const asked: string[] = [];
    const never: CanUseTool = async (_tool, _input, { requestId }) => {
      asked.push(requestId);
      return new Promise(() => {});
    };
    const before = await first.supervisor.start({ id: 'one', canUseTool: never });
    await before.prompt('Ask', { id: 'p1' }).accepted;
    await until(() => before.permissions.pending().length === 1 && asked.length === 1);
    await settle();
    first.lose();

    const { supervisor } = house.host({ onPromptLost: 'retry' });
    await supervisor.recovered;
    const held = supervisor.session('one');
    const handle = held?.permissions;
    expect(handle?.pending().map(({ id }) => id)).toEqual(asked);
    const again: CanUseTool = async (_tool, _input, { requestId }) => {
      asked.push(requestId);
      return { behavior: 'allow' };
    };
    const session = await supervisor.start({ id: 'one', canUseTool: again });
    expect(await session.prompt('Ask', { id: 'p1' }).result).toMatchObject({ outcome: 'completed' });
    expect(asked).toHaveLength(2);
    expect(asked[1]).toBe(asked[0]);
    expect(answers).toHaveLength(1);
    // Whoever kept the list of its questions has the present one.
    expect(handle?.pending()).toEqual([]);
    const events = await house.eventsOf('one');
    expect(events.filter((type) => type === 'permission.requested')).toHaveLength(1);
    expect(events.filter((type) => type === 'permission.settled')).toHaveLength(1);
    await supervisor.shutdown();
  });

  it('keeps what was accepted while it was held by "onRestart", for whoever waits for it (P2)', async () => {
    const house = recoveryHouse();
    const first = house.host();
    await first.supervisor.start({ id: 'one', onRestart: 'hold' });
    first.lose();
    const { supervisor } = house.host();
    await supervisor.recovered;
    const turn = supervisor.session('one')?.prompt('While held', { id: 'p1' });
    await turn?.accepted;
    expect(house.fleet.prompts).toEqual([]);
    await supervisor.start({ id: 'one', onRestart: 'hold', key: 'mine' });
    expect(await turn?.result).toMatchObject({ outcome: 'completed' });
    expect(supervisor.session('one')?.key).toBe('mine');
    await supervisor.shutdown();
  });

  it('goes on by restart() where nothing but "onRestart" held it, and is nobody’s to take over then', async () => {
    const house = recoveryHouse();
    const first = house.host();
    await first.supervisor.start({ id: 'one', onRestart: 'hold' });
    first.lose();
    const { supervisor } = house.host();
    await supervisor.recovered;
    const session = supervisor.session('one');
    expect(session?.state).toBe('held');
    const turn = session?.prompt('Go on');
    session?.restart();
    expect(await turn?.result).toMatchObject({ outcome: 'completed' });
    await expect(supervisor.start({ id: 'one' })).rejects.toMatchObject({ code: 'SESSION_EXISTS' });
    await supervisor.shutdown();
  });

  it.each([
    { resume: '11111111-2222-4333-8444-555555555555' },
    { sessionId: '11111111-2222-4333-8444-555555555555' },
    { continue: true },
  ])('is refused with %o, which would be another conversation, and stays held', async (other) => {
    const house = recoveryHouse();
    const first = house.host();
    const before = await first.supervisor.start({ id: 'one', canUseTool: allow });
    await before.prompt('Hello').result;
    const { conversationId } = before;
    first.lose();
    const { supervisor } = house.host();
    await supervisor.recovered;
    const refused = supervisor.start({ id: 'one', canUseTool: allow, ...other });
    await expect(refused).rejects.toMatchObject({ code: 'INVALID_OPTIONS' });
    expect(supervisor.session('one')?.state).toBe('held');
    expect(house.fleet.started).toHaveLength(1);
    const own = conversationId === undefined ? {} : { resume: conversationId };
    const session = await supervisor.start({ id: 'one', canUseTool: allow, ...own });
    expect(session.conversationId).toBe(conversationId);
    await supervisor.shutdown();
  });

  it('is resumed by the next host, if that one is lost, too (P7)', async () => {
    const house = recoveryHouse(() => {});
    const first = house.host();
    const before = await first.supervisor.start({ id: 'one', canUseTool: allow });
    await before.prompt('Hello', { id: 'p1' }).accepted;
    await until(() => house.fleet.prompts.length === 1);
    await settle();
    first.lose();
    const second = house.host();
    await second.supervisor.recovered;
    // With options that can be stored, nothing is missing any more.
    await second.supervisor.start({ id: 'one', key: 'mine' });
    await until(() => house.fleet.prompts.length === 2);
    await settle();
    second.lose();
    const third = house.host();
    expect((await third.supervisor.recovered).sessions).toMatchObject([{ decision: 'resumed', missing: [] }]);
    expect(third.supervisor.session('one')?.key).toBe('mine');
    await third.supervisor.shutdown();
  });
});

describe('a group takes over its members by their ids', () => {
  it('in order, each with its queue (P2, P8)', async () => {
    const house = recoveryHouse((prompt) => {
      if (house.fleet.started.length > 2) prompt.complete();
    });
    const children = [{ id: 'a', canUseTool: allow }, { id: 'b' }];
    const first = house.host();
    const team = await first.supervisor.group({ id: 'team', strategy: 'one_for_one', children });
    await team.session('a')?.prompt('For a', { id: 'p1' }).accepted;
    await team.session('b')?.prompt('For b', { id: 'p2' }).accepted;
    await until(() => house.fleet.prompts.length === 2);
    await settle();
    first.lose();

    const { supervisor } = house.host();
    expect((await supervisor.recovered).sessions).toMatchObject([
      { id: 'a', decision: 'held' },
      { id: 'b', decision: 'held' },
    ]);
    const [a, b] = [supervisor.session('a'), supervisor.session('b')];
    const again = await supervisor.group({ id: 'team', strategy: 'one_for_one', children });
    expect([again.session('a'), again.session('b')]).toEqual([a, b]);
    expect(await a?.prompt('For a', { id: 'p1' }).result).toMatchObject({ outcome: 'completed' });
    expect(await b?.prompt('For b', { id: 'p2' }).result).toMatchObject({ outcome: 'completed' });
    expect(again.state).toBe('running');
    expect(house.fleet.started).toHaveLength(4);
    await again.close();
    expect(supervisor.list()).toEqual([]);
    await supervisor.shutdown();
  });
});

/** A turn in which the CLI asks once, and which ends with the answer. */
function ask(prompt: MemoryPrompt, answers: unknown[]): void {
  const { cli } = prompt;
  cli.peer.onInput((line) => {
    const frame: { type?: string; response?: { request_id?: string } } = JSON.parse(line);
    if (frame.type !== 'control_response' || frame.response?.request_id !== `ask-${prompt.uuid}`) return;
    answers.push(frame);
    prompt.complete();
  });
  const request = { subtype: 'can_use_tool', tool_name: 'Bash', input: { command: 'ls' }, tool_use_id: 't1' };
  cli.say({ type: 'control_request', request_id: `ask-${prompt.uuid}`, request });
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await settle();
}

function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 5));
}
