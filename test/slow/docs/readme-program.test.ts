import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { fakeClaude } from '../../../src/testing/fake-cli/fake-claude.ts';
import { codeBlocks, ROOT, readPage } from '../../docs/markdown-page.ts';

it('the program of the README does what its comments say, with the `claude` of the PATH', async () => {
  const programs = codeBlocks(readPage('README.md')).filter(({ language }) => language === 'ts');
  const program = programs.find(({ code }) => code.includes('supervisor.start'))?.code ?? '';
  const fake = await fakeClaude();
  const folder = await mkdtemp(join(tmpdir(), 'troupe-readme-'));
  await symlink(fake.path, join(folder, 'claude'));
  try {
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '--eval', asJavaScript(program)],
      // Within the package its own name resolves to what is built, as in a project that installed it.
      { cwd: ROOT, env: { PATH: `${folder}:${process.env['PATH'] ?? ''}`, HOME: folder } },
    );

    const lines = stdout.trim().split('\n');
    expect(stderr).toBe('');
    expect(lines.slice(0, -2)).toContain('ready result success');
    expect(lines.at(-2)).toMatch(/^completed .+ \d/);
    expect(program).toContain(lines.at(-1));
  } finally {
    await fake.dispose();
    await rm(folder, { recursive: true, force: true });
  }
});

function asJavaScript(code: string): string {
  const compilerOptions = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext };
  return ts.transpileModule(code, { compilerOptions }).outputText;
}
