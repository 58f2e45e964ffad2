import { describe, expect, it } from 'vitest';
import { on, step, when } from '../../../src/testing/fake-cli/scenario.ts';
import { errorFrom, eventOf, expectNoViolations, isAlive, kept, linesTo, reaches, stage } from './stage.ts';

const dies = on(when.prompt('work'), step.killSelf('SIGKILL'));

describe('a process that dies in a turn', () => {
  it('is replaced by one that resumes the conversation, with the settings of the run time (P8)', async () => {
    const { start, fake } = await stage({ perStart: [{ rules: [dies] }, {}] });
    const session = await start({ model: 'opus' });
    await session.prompt('hello').result;
    const conversation = session.conversationId;
    await session.setModel('haiku');
    await session.setPermissionMode('plan');
    const result = await session.prompt('work').result;
    expect(result.outcome).toBe('completed');
    const [first, second] = await fake.starts();
    expect(first?.argv).toEqual(expect.arrayContaining(['--model=opus', '--permission-mode=default']));
    expect(second?.argv).toEqual(
      expect.arrayContaining([`--resume=${conversation}`, '--model=haiku', '--permission-mode=plan']),
    );
    expect(second?.argv.filter((flag) => /^--(model|permission-mode|session-id)/.test(flag))).toHaveLength(2);
    expect(session.conversationId).toBe(conversation);
    expect(session.incarnation).toBe(2);
    expect(isAlive(first?.pid ?? 0)).toBe(false);
  });

  it('has its prompt sent again under the same uuid where the CLI keeps account of it (P2)', async () => {
    const { start, fake } = await stage({ perStart: [{ rules: [dies] }, {}] });
    const session = await start();
    const running = session.prompt('work');
    const waiting = ['b', 'c', 'd'].map((text) => session.prompt(text));
    const results = await Promise.all([running, ...waiting].map(({ result }) => result));
    expect(results.map(({ outcome }) => outcome)).toEqual(['completed', 'completed', 'completed', 'completed']);
    expect(results.map(({ text }) => text)).toEqual(['Echo: work', 'Echo: b', 'Echo: c', 'Echo: d']);
    const sent = (await linesTo(fake)).filter(({ type }) => type === 'user').map(({ uuid }) => uuid);
    expect(sent).toEqual([running.id, running.id, ...waiting.map(({ id }) => id)]);
    const ended = (await kept(session)).filter(({ type }) => type === 'prompt.ended');
    expect(ended).toHaveLength(4);
    await expectNoViolations(fake);
  });

  it('loses its prompt, and only that, where sending again would lose or repeat it (P2, WIRE §23)', async () => {
    const flavor = { version: '2.1.19' } as const;
    const { start, fake } = await stage({ flavor, perStart: [{ rules: [dies] }, {}] });
    const session = await start();
    await session.prompt('hello').result;
    const running = session.prompt('work');
    const waiting = ['b', 'c'].map((text) => session.prompt(text));
    const lost = await running.result;
    expect([lost.outcome, lost.error?.code]).toEqual(['lost', 'CLI_EXITED']);
    const results = await Promise.all(waiting.map(({ result }) => result));
    expect(results.map(({ outcome, text }) => [outcome, text])).toEqual([
      ['completed', 'Echo: b'],
      ['completed', 'Echo: c'],
    ]);
    const sent = (await linesTo(fake)).filter(({ type }) => type === 'user').map(({ uuid }) => uuid);
    expect(sent.filter((uuid) => uuid === running.id)).toHaveLength(1);
  });

  it('whose prompt was done but not told completes it without running it twice (P2, WIRE §11)', async () => {
    const { start, fake } = await stage({
      perStart: [
        {
          rules: [
            on(
              when.prompt('work'),
              step.emit({ type: 'command_lifecycle', command_uuid: '$uuid', state: 'started' }),
              step.killSelf('SIGKILL'),
            ),
          ],
        },
        { rules: [on(when.prompt('work'), step.echoTurn({ text: 'second time' }))] },
      ],
    });
    const session = await start();
    expect((await session.prompt('work').result).text).toBe('second time');
    expect(await fake.starts()).toHaveLength(2);
  });

  it('before anything was said of the conversation starts a new one (P8)', async () => {
    const { start, fake } = await stage({ perStart: [{ rules: [on(when.control('die'), step.exit(1))] }, {}] });
    const session = await start();
    await errorFrom(session.control('die'));
    await reaches(session, 'ready', 2);
    expect((await session.prompt('hello').result).outcome).toBe('completed');
    const [, second] = await fake.starts();
    expect(second?.argv.some((flag) => flag.startsWith('--resume'))).toBe(false);
  });

  it('with a permission open leaves no question behind, and the question is asked anew (P2, P4)', async () => {
    const ask = on(when.prompt('work'), step.toolTurn({ tool: 'Bash', input: { command: 'ls' } }));
    const die = on(when.control('die'), step.killSelf('SIGKILL'));
    const { start, fake } = await stage({ perStart: [{ rules: [ask, die] }, { rules: [ask] }] });
    const session = await start();
    const turn = session.prompt('work');
    const first = await eventOf(session, 'permission.requested');
    session.control('die').catch(() => {});
    const second = await eventOf(session, 'permission.requested', ({ epoch }) => epoch === 2);
    expect(second.requestId).not.toBe(first.requestId);
    expect(session.permissions.pending().map(({ id }) => id)).toEqual([second.requestId]);
    const late = await errorFrom(session.permissions.answer(first.requestId, { behavior: 'allow' }));
    expect(late.code).toBe('PERMISSION_SETTLED');
    await session.permissions.answer(second.requestId, { behavior: 'allow' });
    expect((await turn.result).outcome).toBe('completed');
    await expectNoViolations(fake);
  });
});
