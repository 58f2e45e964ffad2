import { describe, expect, it } from 'vitest';
import { on, step, when } from '../../../src/testing/fake-cli/scenario.ts';
import { dialectConformance } from '../../dialects/conformance.ts';
import { stage } from '../session/stage.ts';
import { fakeHarness } from './fake-harness.ts';

dialectConformance(fakeHarness('print', { dialect: 'print' }));

describe('one process per prompt (DIALECTS §4)', () => {
  it('takes a prompt that begins with a dash, resumes what it began, and shows its addresses to nobody (R95, P11)', async () => {
    const { fake, start } = await stage({ dialect: 'print' });
    const session = await start({ dialect: 'print' });
    const texts = [await session.prompt('--version').result, await session.prompt('-p').result].map(({ text }) => text);

    expect(texts).toEqual(['Echo: --version', 'Echo: -p']);
    const [first = [], second = []] = (await fake.starts()).map(({ argv }) => argv);
    expect(first.slice(-2)).toEqual(['--', '--version']);
    expect(second).toContain(`--resume=${session.conversationId}`);
    expect([...first, ...second].join(' ')).not.toContain('127.0.0.1');
  });

  it('a second result of a process is not that of the prompt that waits (R73)', async () => {
    const { start } = await stage({
      dialect: 'print',
      rules: [on(when.prompt('twice'), step.result({}), step.result({}))],
    });
    const session = await start({ dialect: 'print' });
    const turns = [session.prompt('twice'), session.prompt('next')];
    const [, next] = await Promise.all(turns.map(({ result }) => result));

    expect(next).toMatchObject({ outcome: 'completed', text: 'Echo: next' });
  });

  it('a process that ends without a result is a crash: the next prompt goes on in the same conversation (P8)', async () => {
    const { start } = await stage({ dialect: 'print', rules: [on(when.prompt('die'), step.exit(7))] });
    const session = await start({ dialect: 'print' });
    await session.prompt('hello').result;
    const { conversationId } = session;

    expect((await session.prompt('die', { id: 'd' }).result).outcome).not.toBe('completed');
    expect((await session.prompt('again').result).text).toBe('Echo: again');
    expect([session.conversationId, session.incarnation > 1]).toEqual([conversationId, true]);
  });
});
