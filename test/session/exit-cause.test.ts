import { describe, expect, it } from 'vitest';
import { TroupeError } from '../../src/errors.ts';
import { causeOf, type ExitEvidence, errorOf, exitCause } from '../../src/session/exit-cause.ts';

describe('why the process ended', () => {
  it('is what the CLI reported, before what stands on stderr, with the exit status (R02)', () => {
    expect(causeFor({ resultErrors: ['budget is spent', ' ', 'really'], stderrTail: 'noise' })).toEqual({
      code: 'CLI_EXITED',
      message: 'budget is spent; really (exit code 1)',
      permanent: false,
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
    ['No conversation found with session ID: 1234', 'CONVERSATION_NOT_FOUND'],
    ['Error: --resume requires a valid session ID', 'CONVERSATION_NOT_FOUND'],
    ['Session ID 1234 is already in use.', 'CLI_EXITED'],
    ["error: unknown option '--frobnicate'", 'OPTION_UNSUPPORTED'],
    ['Error: Invalid MCP configuration', 'CLI_EXITED'],
    ['--dangerously-skip-permissions cannot be used with root/sudo privileges', 'CLI_EXITED'],
    ['Error: Invalid session ID. Must be a valid UUID.', 'CLI_EXITED'],
  ])('is permanent where a restart would only repeat it: %s (P8, R62)', (said, code) => {
    expect(causeFor({ stderrTail: said })).toMatchObject({ code, permanent: true });
    expect(causeFor({ resultErrors: [said] })).toMatchObject({ code, permanent: true });
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

  it('is not permanent for anything else (P8)', () => {
    for (const said of ['Segmentation fault', 'fetch failed', 'session closed', 'ECONNREFUSED']) {
      expect(causeFor({ stderrTail: said })).toMatchObject({ code: 'CLI_EXITED', permanent: false });
    }
  });

  it('is found also before pages of stack trace, of which a bounded part is told (P9, WIRE §25.17)', () => {
    const trace = 'x'.repeat(50_000);
    const cause = causeFor({ stderrTail: `No conversation found with session ID: 1\n${trace}` });
    expect(cause).toMatchObject({ code: 'CONVERSATION_NOT_FOUND', permanent: true });
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
    expect(errorOf({ code: 'closed', message: 'As asked.', permanent: true }).code).toBe('SESSION_CLOSED');
  });
});

describe('an error as a cause', () => {
  it('keeps the code and the facts of ours, and calls anything else a failed spawn', () => {
    const ours = new TroupeError('CWD_NOT_FOUND', { reason: 'It was /gone.', details: { cwd: '/gone' } });
    const cause = causeOf(ours, true);
    expect(cause).toMatchObject({ code: 'CWD_NOT_FOUND', permanent: true, details: { cwd: '/gone' } });
    expect(errorOf(cause)).toMatchObject({ code: ours.code, message: ours.message, details: ours.details });
    expect(causeOf(new Error('EAGAIN'), false)).toEqual({ code: 'SPAWN_FAILED', message: 'EAGAIN', permanent: false });
    expect(causeOf('odd', false)).toMatchObject({ code: 'SPAWN_FAILED', message: 'odd' });
  });

  it('judges no crash of a running CLI by words that happen to stand on stderr (P8, WIRE §25.17)', () => {
    const stderrTail = 'git: error: unknown option `x`';

    expect(causeFor({ isInitialized: true, stderrTail })).toMatchObject({ permanent: false });
    expect(causeFor({ exit: { exitCode: null, signal: 'SIGKILL' }, stderrTail })).toMatchObject({ permanent: false });
    expect(causeFor({ stderrTail })).toMatchObject({ permanent: true });
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
