import { describe, expect, it } from 'vitest';
import { query } from '../../../src/index.ts';
import { on, type Step, step, when } from '../../../src/testing/fake-cli/scenario.ts';
import { errorFrom, isAlive, newFake, SHORT, stage } from './stage.ts';

const DURING = 'error_during_execution';
const failed = (more: Record<string, unknown>) => step.result({ is_error: true, ...more });
const idle = step.emit({ type: 'system', subtype: 'session_state_changed', state: 'idle', session_id: '$session_id' });

/** What a query throws whose only turn takes these steps. */
async function thrownBy(...steps: readonly Step[]) {
  const fake = await newFake({ rules: [on(when.prompt('go'), ...steps)] });
  const options = { pathToClaudeCodeExecutable: fake.path, timeouts: SHORT };
  const error = await errorFrom(
    (async () => {
      for await (const _ of query({ prompt: 'go', options }));
    })(),
  );
  expect((await fake.pids()).filter(isAlive)).toEqual([]);
  return error;
}

describe('a result that is an error (R02, R88, PEER test_query)', () => {
  it.each<[what: string, result: Record<string, unknown>, words: RegExp]>([
    ['the one error', { subtype: DURING, errors: ['the disk is full'] }, /: the disk is full$/],
    ['all errors', { subtype: DURING, errors: ['first', ' ', 'second'] }, /: first; second$/],
    ['the errors before the text', { subtype: DURING, errors: ['the reason'], result: 'other words' }, /the reason$/],
    ['the text, where the errors are blank', { subtype: DURING, errors: ['', ' '], result: 'the words' }, /the words$/],
    ['the text, where the errors are none', { subtype: DURING, errors: { 0: 'x' }, result: 'the words' }, /the words$/],
    ['the text of a failure called success', { result: 'API Error: 529 overloaded' }, /: API Error: 529 overloaded$/],
    ['the status, where nothing is said', { result: '', api_error_status: 529 }, /status 529/],
    ['the reason, where nothing else is told', { result: null, terminal_reason: 'api_error' }, /api_error/],
    [
      'the subtype, where nothing else is told',
      { subtype: 'error_max_turns', terminal_reason: null },
      /error_max_turns/,
    ],
    ['that nothing is told', { terminal_reason: 'completed' }, /no reason/],
  ])('is told by a query with %s', async (_, result, words) => {
    const error = await thrownBy(failed(result));

    expect([error.code, error.message]).toEqual(['TURN_FAILED', expect.stringMatching(words)]);
    expect(error.message).not.toMatch(/\(?success\)?$/);
  });

  it('explains the exit behind it, also when the CLI calls itself idle between the two', async () => {
    const result = failed({ subtype: DURING, errors: ['the disk is full'] });
    for (const steps of [
      [result, step.stderr('noise\n'), step.exit(1)],
      [result, idle, step.stderr('noise\n'), step.exit(1)],
    ]) {
      const error = await thrownBy(...steps);

      expect(error.message).toContain('the disk is full');
      expect(error.message).not.toContain('noise');
    }
  });

  it('does not hide what goes wrong later with the stream itself', async () => {
    const { start } = await stage({
      rules: [
        on(when.prompt('go'), failed({ errors: ['the disk is full'] })),
        on(when.control('flood'), step.bigLine({ bytes: 200_000 })),
      ],
    });
    const session = await start({ restart: { type: 'temporary' }, limits: { maxLineBytes: 100_000 } });
    await session.prompt('go').result;
    session.control('flood').catch(() => {});

    const { error } = await session.ended;
    expect(error).toMatchObject({ code: 'LINE_TOO_LONG', details: { limit: 100_000 } });
    expect(error?.message).not.toContain('the disk is full');
  });

  it('explains the exit of a session with all that it said', async () => {
    const { start } = await stage({
      rules: [
        on(when.prompt('go'), failed({ subtype: DURING, errors: ['', ' '], result: 'the budget is spent' })),
        on(when.control('die'), step.stderr('noise\n'), step.exit(1)),
      ],
    });
    const session = await start({ restart: { type: 'temporary' } });
    expect((await session.prompt('go').result).error?.message).toContain('the budget is spent');
    session.control('die').catch(() => {});

    const { error } = await session.ended;
    expect(error).toMatchObject({ code: 'CLI_EXITED', details: { exitCode: 1 } });
    expect(error?.message).toContain('the budget is spent');
    expect(error?.message).not.toContain('noise');
  });
});

describe('an exit that no error result explains (R02, PEER test_query)', () => {
  const gone = [step.stderr('its own words\n'), step.exit(7)] as const;

  it('is told in its own words when there was no result', async () => {
    const error = await thrownBy(...gone);

    expect(error).toMatchObject({ code: 'CLI_EXITED', details: { exitCode: 7 } });
    expect(error.message).toContain('its own words');
  });

  it('is told in its own words after a good turn', async () => {
    const { start } = await stage({ rules: [on(when.control('die'), ...gone)] });
    const session = await start({ restart: { type: 'temporary' } });
    expect((await session.prompt('hello').result).outcome).toBe('completed');
    session.control('die').catch(() => {});

    const { error } = await session.ended;
    expect(error).toMatchObject({ code: 'CLI_EXITED', details: { exitCode: 7 } });
    expect(error?.message).toContain('its own words');
  });

  it.each<[what: string, last: Step]>([
    ['a good turn', step.result()],
    ['a turn that had only begun', step.emit({ type: 'system', subtype: 'init', session_id: '$session_id' })],
  ])('is told in its own words after an error and %s', async (_, last) => {
    const { start } = await stage({
      rules: [
        on(when.prompt('fail'), failed({ subtype: DURING, errors: ['an old failure'] })),
        on(when.prompt('go on'), last, ...gone),
      ],
    });
    const session = await start({ restart: { type: 'temporary' } });
    expect((await session.prompt('fail').result).outcome).toBe('failed');
    session.prompt('go on');

    const { error } = await session.ended;
    expect(error).toMatchObject({ code: 'CLI_EXITED', details: { exitCode: 7 } });
    expect(error?.message).toContain('its own words');
    expect(error?.message).not.toContain('an old failure');
  });
});
