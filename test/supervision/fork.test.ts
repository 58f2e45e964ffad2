import { describe, expect, it } from 'vitest';
import { createSupervisor } from '../../src/supervision/supervisor.ts';
import { memoryFleet } from './memory-cli.ts';

function house() {
  const fleet = memoryFleet();
  const supervisor = createSupervisor({ spawn: fleet.open, reap: 'off' });
  const argumentsOf = (id: string) =>
    fleet.started.filter(({ sessionId }) => sessionId === id).at(-1)?.peer.plan.args ?? [];
  return { fleet, supervisor, argumentsOf };
}

describe('session.fork()', () => {
  it('starts a session of its own that resumes a copy of the conversation with the options of this one (P8)', async () => {
    const { supervisor, argumentsOf } = house();
    const first = await supervisor.start({ id: 'a', key: 'issue-7', maxTurns: 9, model: 'sonnet', sessionId: OWN });
    await first.prompt('hello').result;
    await first.setModel('opus');
    const fork = await first.fork();
    const args = argumentsOf(fork.id);

    expect(fork.id).not.toBe('a');
    expect([fork.key, supervisor.session(fork.id)]).toEqual(['issue-7', fork]);
    expect(args).toContain(`--resume=${first.conversationId}`);
    expect(args).toContain('--fork-session');
    expect(args.join(' ')).not.toContain(OWN);
    // The model as it is, and not as it was started with.
    expect(args).toContain('--model=opus');
    expect(args).toContain('--max-turns=9');
    expect(await fork.prompt('one').result).toMatchObject({ outcome: 'completed' });
    expect(await first.prompt('two').result).toMatchObject({ outcome: 'completed' });
    expect([first.turns().length, fork.turns().length]).toEqual([2, 1]);
    await first.close();
    expect(fork.state).toBe('ready');
    await supervisor.shutdown();
  });

  it('takes options that are given before those of this one', async () => {
    const { supervisor, argumentsOf } = house();
    const first = await supervisor.start({ model: 'sonnet', maxTurns: 9 });
    await first.prompt('hello').result;
    await first.fork({ id: 'b', model: 'haiku' });
    const args = argumentsOf('b');

    expect(args).toContain('--model=haiku');
    expect(args).toContain('--max-turns=9');
    await supervisor.shutdown();
  });

  it('of one that resumed and has not spoken yet is a copy of what that one resumed', async () => {
    const { supervisor, argumentsOf } = house();
    const first = await supervisor.start({ resume: OWN, resumeSessionAt: AT });
    await first.fork({ id: 'b' });

    expect(argumentsOf('b')).toEqual(expect.arrayContaining([`--resume=${OWN}`, `--resume-session-at=${AT}`]));
    await supervisor.shutdown();
  });

  it('is refused, typed, where there is nothing to copy or somebody else decides; the session goes on (P6)', async () => {
    const { supervisor } = house();
    const first = await supervisor.start({ id: 'a' });
    await expect(first.fork()).rejects.toMatchObject({ code: 'FORK_REFUSED', details: { why: 'no-conversation' } });
    await first.prompt('hello').result;
    for (const field of ['resume', 'continue', 'forkSession'] as const) {
      const given = { [field]: field === 'resume' ? OWN : true };
      await expect(first.fork(given)).rejects.toMatchObject({ code: 'INVALID_OPTIONS', details: { field } });
    }
    await expect(first.fork({ id: 'a' })).rejects.toMatchObject({ code: 'SESSION_EXISTS' });
    await expect(first.fork({ maxTurns: 0 })).rejects.toMatchObject({ code: 'INVALID_OPTIONS' });

    const unkept = await supervisor.start({ persistSession: false });
    await unkept.prompt('hello').result;
    await expect(unkept.fork()).rejects.toMatchObject({ code: 'FORK_REFUSED', details: { why: 'not-kept' } });

    const group = await supervisor.group({ id: 'team', children: [{ id: 'm' }] });
    const member = group.session('m');
    await member?.prompt('hello').result;
    await expect(member?.fork()).rejects.toMatchObject({ code: 'FORK_REFUSED', details: { why: 'group-member' } });

    expect(await first.prompt('still here').result).toMatchObject({ outcome: 'completed' });
    await first.close();
    await expect(first.fork()).rejects.toMatchObject({ code: 'SESSION_CLOSED' });
    expect(supervisor.list().map(({ id }) => id)).toHaveLength(2);
    await supervisor.shutdown();
  });
});

const OWN = '4b1f0c8e-2a6d-4d55-9d0a-3f6d6f0f6a11';
const AT = '5c2e1d9f-3b7e-4e66-8e1b-4a7e7a1a7b22';
