import { describe, expect, it } from 'vitest';
import type { MemoryPrompt } from './memory-cli.ts';
import { recoveryHouse } from './recovery-house.ts';

describe('a session whose host was lost', () => {
  it('goes on under its id: log, epochs, usage and the results of its prompts (P2, P7)', async () => {
    const house = recoveryHouse();
    const first = house.host();
    const before = await first.supervisor.start({ id: 'one' });
    const result = await before.prompt('Hello', { id: 'p1' }).result;
    const { seq } = before.snapshot();
    first.lose();

    const { supervisor } = house.host();
    const report = await supervisor.recovered;
    expect(report.sessions).toMatchObject([{ id: 'one', decision: 'kept' }]);
    const after = supervisor.session('one');
    expect(after?.state).toBe('hibernated');
    expect(after?.incarnation).toBe(1);
    expect(after?.usage().turns).toBe(1);
    expect(after?.snapshot().seq).toBeGreaterThanOrEqual(seq);

    const again = after?.prompt('Hello', { id: 'p1' });
    expect(await again?.result).toEqual(result);
    expect(house.fleet.prompts).toHaveLength(1);
    expect(() => after?.prompt('Another', { id: 'p1' })).toThrow(expect.objectContaining({ code: 'PROMPT_ID_USED' }));

    expect(await after?.prompt('Go on').result).toMatchObject({ outcome: 'completed' });
    expect(after?.incarnation).toBe(2);
    await supervisor.shutdown();
  });

  it('has its prompts run once and in order: what was cut off, and what waited (P2)', async () => {
    const held: MemoryPrompt[] = [];
    const house = recoveryHouse((prompt) => {
      if (house.fleet.prompts.length === 1) held.push(prompt);
      else prompt.complete();
    });
    const first = house.host();
    const before = await first.supervisor.start({ id: 'one' });
    const turns = ['p1', 'p2', 'p3'].map((id) => before.prompt(`Do ${id}`, { id }));
    await Promise.all(turns.map(({ accepted }) => accepted));
    await until(() => held.length === 1);
    await new Promise((resolve) => before.permissions && setImmediate(resolve));
    first.lose();

    const { supervisor } = house.host();
    const report = await supervisor.recovered;
    expect(report.sessions).toMatchObject([{ id: 'one', decision: 'resumed' }]);
    const after = supervisor.session('one');
    const results = await Promise.all(['p1', 'p2', 'p3'].map((id) => after?.prompt(`Do ${id}`, { id }).result));
    expect(results.map((one) => one?.outcome)).toEqual(['completed', 'completed', 'completed']);
    expect(house.fleet.prompts.map(({ text }) => text)).toEqual(['Do p1', 'Do p1', 'Do p2', 'Do p3']);
    // The uuid is the CLI's own key against running it twice.
    expect(new Set(house.fleet.prompts.slice(0, 2).map(({ uuid }) => uuid)).size).toBe(1);
    await supervisor.shutdown();
  });

  it.each([
    ['is ended by its policy', 'fail'],
    ['is not taken up by the CLI, which ends no turn', 'once'],
  ] as const)('has no question left that nobody asks: its prompt %s (P4)', async (_, onPromptLost) => {
    const house = recoveryHouse(() => {}, { refuses: () => house.fleet.started.length > 1 });
    const first = house.host({ onPromptLost });
    const session = await first.supervisor.start({ id: 'one' });
    await session.prompt('ask', { id: 'p1' }).accepted;
    await until(() => house.fleet.prompts.length === 1);
    const request = { subtype: 'can_use_tool', tool_name: 'Bash', input: { command: 'ls' }, tool_use_id: 't1' };
    house.fleet.prompts[0]?.cli.say({ type: 'control_request', request_id: 'q1', request });
    await until(() => session.permissions.pending().length === 1);
    await until(async () => (await house.recordsOf('one')).some(({ kind }) => kind === 'permission'));
    first.lose();

    const { supervisor } = house.host({ onPromptLost });
    await supervisor.recovered;
    const after = supervisor.session('one');
    expect(after?.permissions.pending()).toHaveLength(1);
    expect(await after?.turn('p1')?.result).toMatchObject({ outcome: 'lost' });
    await until(() => after?.state === 'ready');
    expect([after?.permissions.pending(), after?.status]).toEqual([[], 'idle']);
    expect(after?.permissions.get('q1')?.settlement).toMatchObject({ outcome: 'cancelled', reason: 'process lost' });
    await supervisor.shutdown();
  });

  it('is set aside after five losses in the middle of its work, with its prompt, and goes on by hand', async () => {
    const house = recoveryHouse(() => {});
    const first = house.host();
    const session = await first.supervisor.start({ id: 'one' });
    await session.prompt('Poison', { id: 'p1' }).accepted;
    await until(() => house.fleet.prompts.length === 1);
    first.lose();
    for (let loss = 1; loss <= 5; loss += 1) {
      const host = house.host();
      expect((await host.supervisor.recovered).sessions).toMatchObject([{ decision: 'resumed' }]);
      await until(() => house.fleet.prompts.length === loss + 1);
      host.lose();
    }
    const { supervisor } = house.host();
    expect((await supervisor.recovered).sessions).toMatchObject([{ decision: 'quarantined' }]);
    const after = supervisor.session('one');
    expect(after?.state).toBe('quarantined');
    expect(after?.snapshot().queued).toEqual(['p1']);
    after?.restart();
    await until(() => house.fleet.prompts.length === 7);
    await supervisor.shutdown();
  });

  it('is held while options are missing that nobody can store, and takes no prompt', async () => {
    const house = recoveryHouse();
    const first = house.host();
    await first.supervisor.start({ id: 'one', canUseTool: async () => ({ behavior: 'allow' }) });
    first.lose();
    const { supervisor } = house.host();
    expect((await supervisor.recovered).sessions).toMatchObject([{ decision: 'held', missing: ['canUseTool'] }]);
    const after = supervisor.session('one');
    expect(() => after?.prompt('Hello')).toThrow(expect.objectContaining({ code: 'OPTIONS_MISSING' }));
    expect(() => after?.restart()).toThrow(expect.objectContaining({ code: 'OPTIONS_MISSING' }));
    await supervisor.shutdown();
  });

  it('ends with it where onRestart says so, and so do its prompts', async () => {
    const house = recoveryHouse(() => {});
    const first = house.host();
    const session = await first.supervisor.start({ id: 'one', onRestart: 'fail' });
    await session.prompt('Hello', { id: 'p1' }).accepted;
    await until(() => house.fleet.prompts.length === 1);
    first.lose();
    const { supervisor } = house.host();
    expect((await supervisor.recovered).sessions).toMatchObject([{ decision: 'failed' }]);
    await until(() => supervisor.list().length === 0);
    const records = await house.recordsOf('one');
    expect(records.find(({ kind }) => kind === 'prompt')).toMatchObject({ state: 'ended', outcome: 'failed' });
    expect(records.find(({ kind }) => kind === 'session')).toHaveProperty('endedAt');
    await supervisor.shutdown();
  });

  it('that had ended stays ended', async () => {
    const house = recoveryHouse();
    const first = house.host();
    const session = await first.supervisor.start({ id: 'one' });
    await session.close();
    first.lose();
    const { supervisor } = house.host();
    expect((await supervisor.recovered).sessions).toEqual([]);
    await supervisor.shutdown();
  });
});

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setImmediate(resolve));
}
