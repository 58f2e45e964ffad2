import { afterEach, describe, expect, it, vi } from 'vitest';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { serverAddress } from '../../src/cli/link/server-link.ts';
import { createProgram, perform } from '../../src/cli/program.ts';
import { parseServerOptions } from '../../src/server/server-options.ts';
import { memoryFleet } from '../supervision/memory-cli.ts';

afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

describe('what is wrong on the command line ends with 2, and names the place', () => {
  it.each([
    // An empty text is what a shell makes of a variable that is not set.
    [['serve', '--port', ''], /--port <number>.*Expected a whole number from 0 to 65535/],
    [['serve', '--port', '0x10'], /--port <number>/],
    [['serve', '--port', '70000'], /--port <number>.*65535/],
    // A timer of Node that is asked for longer ends at once: the second signal would come before the first.
    [['serve', '--drain', '3000000'], /--drain <seconds>.*86400/],
    [['serve', '--drain', 'Infinity'], /--drain <seconds>/],
    [['serve', '--max-sessions', '0'], /--max-sessions <number>.*from 1/],
    [['serve', '--token-file', ''], /--token-file <file>.*must not be empty/],
    [['serve', '--root', 'a', '--root', ''], /--root <folder>.*must not be empty/],
    [['doctor', '--port', '65536'], /--port <number>/],
    [['drift', '--timeout', '1e9'], /--timeout <seconds>/],
    [['drain', '--timeout', '99999999999'], /--timeout <seconds>/],
    [['run', 'x', '--timeout', '1e300'], /--timeout <seconds>/],
    [['run', 'x', '--cwd', ''], /--cwd <directory>.*must not be empty/],
    [['ps', '--store', ''], /--store <file>.*must not be empty/],
    [['logs', ''], /argument 'session' must not be empty/],
    [['prompt', 'review-1', ''], /argument 'prompt' must not be empty/],
    [['ps', '--server', 'http://'], /--server: expected http/],
    [['ps', '--server', 'http://user:word@127.0.0.1:1'], /--server: expected http.*without a login/],
  ])('%j', async (args, told) => {
    const { exitCode, said } = await typed(args);
    expect({ exitCode, said }).toEqual({ exitCode: EXIT.usage, said: expect.stringMatching(told) });
    expect(said).not.toContain('word@');
  });

  it('an address of a server that is no address is refused before its token file is read (P11)', async () => {
    const wrong = serverAddress({ tokenFile: '/nowhere' }, { TROUPE_SERVER: 'http://[::1' });
    await expect(wrong).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      message: expect.stringContaining('TROUPE_SERVER: expected'),
    });
  });

  it('--open-option with a name that is no option is refused, as otherwise nothing would be open', () => {
    const supervisor = { spawn: memoryFleet().open };
    const opened = (name: string) => parseServerOptions({ supervisor, openOptions: ['env', name] } as never);
    expect(() => opened('mcpServer')).toThrow(/openOptions\[1\]: is no option of a session/);
    expect(opened('mcpServers').openOptions).toEqual(['env', 'mcpServers']);
  });
});

/** What somebody sees who types this. */
async function typed(args: readonly string[]): Promise<{ exitCode: unknown; said: string }> {
  let said = '';
  const keep = (text: unknown) => {
    said += `${String(text)}\n`;
    return true;
  };
  vi.spyOn(console, 'error').mockImplementation(keep);
  vi.spyOn(process.stderr, 'write').mockImplementation(keep);
  await perform(createProgram('0'), ['node', 'troupe', ...args]);
  return { exitCode: process.exitCode, said };
}
