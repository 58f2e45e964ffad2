// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are words of a shell, not templates.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { commandIsCovered, commandMayContain } from '../../../src/permissions/shell-command.ts';
import { runs } from '../../fixed-chance.ts';

const WORDS = [
  'git',
  'rm',
  'r',
  'm',
  'log',
  'X=rm',
  'FOO=1',
  '$X',
  '${X}',
  '$(',
  '`',
  ')',
  '(',
  '"',
  "'",
  '\\',
  '$@',
  "$'\\x72m'",
];
const OPERATORS = [
  ' ',
  ' ',
  ' ',
  '  ',
  '\t',
  '\n',
  ';',
  '&&',
  '||',
  '|',
  '&',
  '>f',
  '<',
  '<<<',
  '<(',
  '#',
  '!',
  '=',
  '*',
  '?',
];
const PROGRAMS = [
  'eval ',
  'sh -c ',
  'env ',
  'xargs ',
  'command ',
  'exec ',
  'if ',
  'then ',
  'fi',
  '{rm,',
  '}',
  '-c ',
  '$IFS',
];

/** What random seeds found: each once passed for harmless and ran rm. */
const PAST_FINDS = [">feval $'\\x72m'<<<git"];

const command = fc
  .array(fc.constantFrom(...WORDS, ...OPERATORS, ...PROGRAMS), { minLength: 1, maxLength: 9 })
  .map((tokens) => tokens.join(''));

const shell = stubbedShell();
afterAll(() => shell.dispose());

// The oracle is bash itself, in a folder of its own, with programs that only note that they were run.
describe('what bash makes of a command (DESIGN permissions)', () => {
  it('runs git, nothing else, and writes nothing, whenever a rule for git covers it', () => {
    let covered = 0;
    fc.assert(
      fc.property(command, (rest) => {
        const text = `git ${rest}`;
        if (!commandIsCovered('git *', text)) return;
        covered += 1;
        expect(shell.run(text)).toEqual({ ran: ['git'], wrote: [] });
      }),
      { numRuns: runs(2_000) },
    );
    expect(covered).toBeGreaterThan(20);
  });

  it('never runs rm when a rule against rm says that it cannot', () => {
    let forbidden = 0;
    fc.assert(
      fc.property(command, (text) => {
        if (commandMayContain('rm *', text) !== 'no') return;
        forbidden += 1;
        expect(shell.run(text).ran).not.toContain('rm');
      }),
      { numRuns: runs(600), examples: PAST_FINDS.map((text) => [text]) },
    );
    expect(forbidden).toBeGreaterThan(100);
  });

  it.each([
    'rm x',
    'r""m',
    '{rm,-rf}',
    'eval $X',
    '$X',
    'echo | xargs rm',
    'sh -c "$X"',
    'git;rm',
    '`echo r`m',
    'git $(rm)',
  ])('does run it in %j, so the oracle sees what it has to', (text) => {
    expect(shell.run(text).ran).toContain('rm');
    expect(commandMayContain('rm *', text)).not.toBe('no');
    expect(commandIsCovered('git *', text)).toBe(false);
  });
});

function stubbedShell() {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-oracle-'));
  const [bin, cwd, journal] = [join(folder, 'bin'), join(folder, 'cwd'), join(folder, 'journal')];
  mkdirSync(bin);
  for (const name of ['git', 'rm']) {
    writeFileSync(join(bin, name), `#!/bin/bash\necho ${name} >> ${journal}\n`);
    chmodSync(join(bin, name), 0o700);
  }
  symlinkSync('/bin/bash', join(bin, 'sh'));
  for (const name of ['env', 'xargs']) symlinkSync(`/usr/bin/${name}`, join(bin, name));
  return {
    run(text: string): { ran: string[]; wrote: string[] } {
      rmSync(journal, { force: true });
      rmSync(cwd, { recursive: true, force: true });
      mkdirSync(cwd);
      // A function that a command defines must not call itself for ever.
      const args = ['-c', 'FUNCNEST=5; eval "$1"; wait', 'bash', text];
      spawnSync('/bin/bash', args, { cwd, env: { PATH: bin, X: 'rm' }, stdio: 'ignore', timeout: 20_000 });
      const ran = existsSync(journal) ? readFileSync(journal, 'utf8').trim().split('\n') : [];
      return { ran, wrote: readdirSync(cwd) };
    },
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  };
}
