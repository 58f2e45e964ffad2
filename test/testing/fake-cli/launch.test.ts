import { describe, expect, it } from 'vitest';
import { readLaunch } from '../../../src/testing/fake-cli/launch.ts';

describe('readLaunch', () => {
  it('reads both spellings of an option with a value (WIRE §1)', () => {
    const apart = ['--model', 'm', '--permission-mode', 'plan', '--resume', 'id', '--permission-prompt-tool', 'stdio'];
    const joined = ['--model=m', '--permission-mode=plan', '--resume=id', '--permission-prompt-tool=stdio'];

    expect(readLaunch(apart)).toMatchObject({ model: 'm', permissionMode: 'plan', resume: 'id', asksOverStdio: true });
    expect(readLaunch(joined)).toEqual(readLaunch(apart));
  });

  it('keeps an empty value and does not take the next option for it', () => {
    const launch = readLaunch(['--setting-sources', '', '--verbose', '--unknown', '--replay-user-messages']);
    expect(launch).toMatchObject({ isVerbose: true, replaysUserMessages: true, prompt: undefined });
  });

  it('reads in-process servers from inline JSON and complains about broken JSON', () => {
    const config = '{"mcpServers":{"calc":{"type":"sdk","name":"calc"}}}';
    expect(readLaunch(['--mcp-config', config]).mcpServers).toEqual({ calc: { type: 'sdk', name: 'calc' } });
    expect(() => readLaunch(['--mcp-config', '{nope'])).toThrow();
    expect(() => readLaunch(['--mcp-config', '{}'])).toThrow('mcpServers is missing');
  });

  it('takes everything behind -- as the prompt (WIRE §16)', () => {
    expect(readLaunch(['-p', '--', '-x', 'y'])).toMatchObject({ isPrint: true, prompt: '-x y' });
  });
});
