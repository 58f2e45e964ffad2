import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const MAIN = fileURLToPath(new URL('../../../dist/src/cli/main.js', import.meta.url));

let folder: string;
let env: Record<string, string>;

// A `troupe` as it is installed: by its name on the PATH.
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'troupe-completion-'));
  const path = join(folder, 'troupe');
  writeFileSync(path, `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`);
  chmodSync(path, 0o755);
  env = { PATH: `${folder}:${process.env['PATH'] ?? ''}`, HOME: folder };
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What bash would offer behind these words, the last of which is being typed. */
function offered(...words: string[]): string[] {
  const script = `
    source <(troupe completion bash)
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _troupe
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr, status } = spawnSync('bash', ['--norc', '-uc', script, 'bash', 'troupe', ...words], {
    env,
    encoding: 'utf8',
  });
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  return stdout
    .trimEnd()
    .split('\n')
    .filter((line) => line !== '');
}

describe('troupe completion', () => {
  it('offers commands, options and their values in bash', () => {
    expect(offered('at')).toEqual(['attach']);
    expect(offered('ps', '--w')).toEqual(['--watch']);
    expect(offered('diagram', '--format', 's')).toEqual(['scxml']);
  });

  it('evaluates nothing that was typed', () => {
    const path = join(folder, 'made');
    offered('prompt', `$(touch ${path})`, '--');
    offered(`$(touch ${path})`);

    expect(existsSync(path)).toBe(false);
  });

  it.each(['zsh', 'fish'])('prints a script for %s, which that shell can read where it is installed', (shell) => {
    const { stdout, status } = spawnSync('troupe', ['completion', shell], { env, encoding: 'utf8' });
    expect(status).toBe(0);
    expect(stdout).toContain('command troupe complete --');
    const checked = spawnSync(shell, ['-n'], { env, input: stdout, encoding: 'utf8' });
    if (checked.error === undefined) expect(checked.stderr).toBe('');
  });
});
