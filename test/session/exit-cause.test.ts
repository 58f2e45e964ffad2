import { describe, expect, it } from 'vitest';
import { isFinal } from '../../machines/child/endings.ts';
import { TroupeError } from '../../src/errors.ts';
import { causeOf, type ExitEvidence, errorOf, exitCause } from '../../src/session/exit-cause.ts';

describe('why the process ended', () => {
  it('is what the CLI reported, before what stands on stderr, with the exit status (R02)', () => {
    expect(causeFor({ resultErrors: ['budget is spent', ' ', 'really'], stderrTail: 'noise' })).toEqual({
      code: 'CLI_EXITED',
      message: 'budget is spent; really (exit code 1)',
      ending: 'crash',
      details: { exitCode: 1, signal: null, stderrTail: 'noise' },
    });
  });

  it('is what stands on stderr when the CLI reported nothing (R02)', () => {
    expect(causeFor({ resultErrors: ['', '  '], stderrTail: '\n  out of memory\n' }).message).toBe(
      'out of memory (exit code 1)',
    );
  });

  it('is told even when it said nothing', () => {
    expect(causeFor({}).message).toBe('It said nothing. (exit code 1)');
    expect(causeFor({ exit: { exitCode: null, signal: 'SIGKILL' } }).message).toBe('It said nothing. (signal SIGKILL)');
  });

  it('says so when the last line was cut (R13)', () => {
    expect(causeFor({ stderrTail: 'crash', isTruncated: true }).message).toBe(
      'crash (exit code 1) Its last line was cut short.',
    );
  });

  it.each([
    ['No conversation found with session ID: 1234', 'CONVERSATION_NOT_FOUND', 'conversation-missing'],
    ['Error: --resume requires a valid session ID', 'CONVERSATION_NOT_FOUND', 'conversation-missing'],
    ['Session ID 1234 is already in use.', 'CONVERSATION_EXISTS', 'conversation-taken'],
    ["error: unknown option '--frobnicate'", 'OPTION_UNSUPPORTED', 'option-refused'],
    ['Error: Invalid MCP configuration', 'OPTION_REFUSED', 'option-refused'],
    ['--dangerously-skip-permissions cannot be used with root/sudo privileges', 'OPTION_REFUSED', 'option-refused'],
    ['Error: Invalid session ID. Must be a valid UUID.', 'OPTION_REFUSED', 'option-refused'],
    ['Not logged in · Please run /login', 'NOT_LOGGED_IN', 'auth'],
    ['OAuth token has expired. Please obtain a new token.', 'NOT_LOGGED_IN', 'auth'],
    ["You've hit your weekly limit · resets 3pm (UTC)", 'QUOTA_REACHED', 'quota'],
  ] as const)('would only be repeated by a restart: %s (P8, R62)', (said, code, ending) => {
    expect(causeFor({ stderrTail: said })).toMatchObject({ code, ending });
    expect(causeFor({ resultErrors: [said] })).toMatchObject({ code, ending });
    expect(isFinal(ending)).toBe(true);
  });

  it.each([
    ['SIGKILL', { exitCode: null, signal: 'SIGKILL' }],
    ['SIGTERM, as the CLI makes a code of it (WIRE §15)', { exitCode: 143, signal: null }],
    ['SIGHUP', { exitCode: 129, signal: null }],
    ['SIGKILL, as a wrapper shell makes a code of it', { exitCode: 137, signal: null }],
  ])('is a signal from outside, not a want of memory, without evidence for that: %s', (_, exit) => {
    expect(causeFor({ exit, isInitialized: true })).toMatchObject({
      code: 'CLI_EXITED',
      ending: 'killed-from-outside',
    });
  });

  it.each([
    ['the kernel counted a kill', { exitCode: null, signal: 'SIGKILL', memoryKills: 1 }, ''],
    ['the kernel counted a kill behind a wrapper shell', { exitCode: 137, signal: null, memoryKills: 2 }, ''],
    ['V8 says so', { exitCode: null, signal: 'SIGABRT' }, 'FATAL ERROR: JavaScript heap out of memory'],
    ['the runtime says so behind a wrapper shell', { exitCode: 134, signal: null }, 'panic: out of memory'],
  ])('is a want of memory when %s', (_, exit, stderrTail) => {
    const cause = causeFor({ exit, stderrTail, isInitialized: true });
    expect(cause).toMatchObject({ code: 'OUT_OF_MEMORY', ending: 'out-of-memory' });
    expect(cause.details?.['memoryKills']).toBe('memoryKills' in exit ? exit.memoryKills : undefined);
  });

  it('is told apart by the exit code: 0 that nobody asked for, any other, a crash of its own', () => {
    const endingOfExit = (exit: ExitEvidence['exit']) => causeFor({ exit, isInitialized: true }).ending;
    expect(endingOfExit({ exitCode: 0, signal: null })).toBe('left');
    expect(endingOfExit({ exitCode: 1, signal: null })).toBe('crash');
    expect(endingOfExit({ exitCode: null, signal: 'SIGSEGV' })).toBe('crash');
  });

  it('is the login when that was the last word of the CLI, and not when a tool wrote of one (R89)', () => {
    const exit = { exitCode: 1, signal: null };
    const said = ['Not logged in · Please run /login'];
    expect(causeFor({ exit, isInitialized: true, resultErrors: said }).ending).toBe('auth');
    expect(causeFor({ exit, isInitialized: true, stderrTail: 'curl: Invalid API key' }).ending).toBe('crash');
    expect(causeFor({ exit: { exitCode: 143, signal: null }, isInitialized: true, resultErrors: said }).ending).toBe(
      'killed-from-outside',
    );
  });

  it.each([
    [
      "error: unknown option '--project-config-root=/secret'",
      { flag: '--project-config-root', option: 'projectConfigRoot' },
    ],
    ["error: unknown option '--frobnicate'", { flag: '--frobnicate', option: 'extraArgs' }],
    ["error: unknown option '--await-initialize'", { flag: '--await-initialize' }],
  ])('names the option that the release does not know, never its value: %s (P11)', (said, known) => {
    const { flag, option } = causeFor({ stderrTail: said }).details as { flag?: string; option?: string };
    expect({ flag, option }).toEqual({ option: undefined, ...known });
  });

  it('is a crash, worth a restart, for anything else (P8)', () => {
    for (const said of ['Segmentation fault', 'fetch failed', 'session closed', 'ECONNREFUSED']) {
      expect(causeFor({ stderrTail: said })).toMatchObject({ code: 'CLI_EXITED', ending: 'crash' });
    }
  });

  it('is found also before pages of stack trace, of which a bounded part is told (P9, WIRE §25.17)', () => {
    const trace = 'x'.repeat(50_000);
    const cause = causeFor({ stderrTail: `No conversation found with session ID: 1\n${trace}` });
    expect(cause).toMatchObject({ code: 'CONVERSATION_NOT_FOUND', ending: 'conversation-missing' });
    expect(cause.message.length).toBeLessThan(2_100);
    expect(String(cause.details?.['stderrTail']).length).toBeLessThanOrEqual(2_000);
  });
});

describe('a cause as an error', () => {
  it('keeps code, words and facts', () => {
    const error = errorOf(causeFor({ stderrTail: 'crash' }));
    expect(error).toBeInstanceOf(TroupeError);
    expect(error).toMatchObject({ code: 'CLI_EXITED', details: { exitCode: 1 } });
    expect(error.message).toContain('crash (exit code 1)');
  });

  it('is SESSION_CLOSED when the owner asked for the end', () => {
    expect(errorOf({ code: 'closed', message: 'As asked.', ending: 'asked' }).code).toBe('SESSION_CLOSED');
  });
});

describe('an error as a cause', () => {
  it('keeps the code and the facts of ours, and calls anything else a failed spawn', () => {
    const ours = new TroupeError('CWD_NOT_FOUND', { reason: 'It was /gone.', details: { cwd: '/gone' } });
    const cause = causeOf(ours);
    expect(cause).toMatchObject({ code: 'CWD_NOT_FOUND', ending: 'start-refused', details: { cwd: '/gone' } });
    expect(errorOf(cause)).toMatchObject({ code: ours.code, message: ours.message, details: ours.details });
    expect(causeOf(new Error('broken'))).toEqual({
      code: 'SPAWN_FAILED',
      message: 'broken',
      ending: 'start-refused',
    });
    expect(causeOf('odd')).toMatchObject({ code: 'SPAWN_FAILED', message: 'odd' });
  });

  it('judges no crash of a running CLI by words that happen to stand on stderr (P8, WIRE §25.17)', () => {
    const stderrTail = 'git: error: unknown option `x`';

    expect(causeFor({ isInitialized: true, stderrTail })).toMatchObject({ ending: 'crash' });
    expect(causeFor({ exit: { exitCode: null, signal: 'SIGKILL' }, stderrTail })).toMatchObject({
      ending: 'killed-from-outside',
    });
    expect(causeFor({ stderrTail })).toMatchObject({ ending: 'option-refused' });
  });

  it('names what stderr said when a signal ended it, not what an earlier turn had to say', () => {
    const { message } = causeFor({
      exit: { exitCode: null, signal: 'SIGABRT' },
      isInitialized: true,
      resultErrors: ['an old failure'],
      stderrTail: 'heap out of memory',
    });

    expect(message).toContain('heap out of memory');
    expect(message).not.toContain('an old failure');
  });
});

function causeFor(evidence: Partial<ExitEvidence>) {
  return exitCause({
    exit: { exitCode: 1, signal: null },
    resultErrors: [],
    stderrTail: '',
    isInitialized: false,
    isTruncated: false,
    ...evidence,
  });
}
