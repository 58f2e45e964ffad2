import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findRealCli, realCliHome } from '../../../src/testing/real-cli.ts';

describe('the real CLI', () => {
  it('is found beside us and runs', async () => {
    const cli = await findRealCli();
    if (cli === undefined) throw new Error('The dev dependency @anthropic-ai/claude-code is not installed.');

    expect(isAbsolute(cli)).toBe(true);
    await using home = await realCliHome();
    const version = execFileSync(cli, ['--version'], { cwd: home.cwd, env: home.env, encoding: 'utf8' });
    expect(version).toContain('2.1.332');
  });
});

describe('a home for it', () => {
  it('is new, empty, closed to others and knows nothing of this user (P11)', async () => {
    const first = await realCliHome();
    const second = await realCliHome();
    try {
      expect(first.home).not.toBe(second.home);
      for (const folder of [first.home, first.configDir, first.cwd, first.env['TMPDIR'] ?? '']) {
        expect(statSync(folder).mode & 0o777).toBe(0o700);
        expect(readdirSync(folder)).toEqual([]);
      }
      expect(first.env).toEqual({
        PATH: process.env['PATH'],
        HOME: first.home,
        CLAUDE_CONFIG_DIR: first.configDir,
        TMPDIR: expect.any(String),
      });
    } finally {
      await first.dispose();
      await second.dispose();
    }
  });

  it('is gone after it is disposed of, also twice', async () => {
    const home = await realCliHome();

    await home.dispose();
    await home.dispose();

    expect(() => statSync(home.home)).toThrow('ENOENT');
    expect(() => statSync(home.cwd)).toThrow('ENOENT');
  });
});
