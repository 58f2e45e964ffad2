// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are words of a shell, not templates.
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { commandIsCovered, commandMayContain } from '../../../src/permissions/shell-command.ts';
import { runs, seed } from '../../fixed-chance.ts';
import { stubbedShell } from './stubbed-shell.ts';

const WORDS = 'git rm r m log push pu sh X=rm FOO=1 IFS=m $X ${X} ${X:-x} ${X#x} $P $@ [ ~ ~/r'.split(' ');
const QUOTES = ['"', '"', "'", "'", '\\', '\\', '$"', "$'", "$'\\x72m'", "'$(r\\m)'", '$', '`', '`', '$(', '$((', '${'];
const OPERATORS =
  "; && || | & |& ;; > >f 2>f 2>&1 &>f >&2 >| < <f <<< <<E <<-E <<'E' <( >( <> {fd}>f # ! = , * ? ( ) () (( )) [[ ]] @( {rm,-rf} {r,} { }".split(
    ' ',
  );
const BLANKS = [' ', ' ', ' ', ' ', ' ', '  ', '\t', '\n', '\n', '\\\n', '\nE\n', '; '];
const PROGRAMS =
  'eval |sh -c |env |env -S |xargs |xargs -I{} |command |exec |exec -a x |builtin |if |then |fi|else |while |do |done|for x in |case x in |esac|time |coproc |function f |f() |alias x=|trap |printf |printf %s |test -v |declare |export |read x |set -x|PS4=|shopt -s extglob|{} |-c |EXIT|$IFS|source |. |/dev/stdin|find . -maxdepth 0 -exec |\\;|timeout 5 |nohup |-- |-x |a[0]=|let |[ -v |f|echo '.split(
    '|',
  );

/** What random seeds found: each once passed for harmless and ran rm. */
const PAST_FINDS = [">feval $'\\x72m'<<<git"];

const command = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...WORDS) },
      { weight: 4, arbitrary: fc.constantFrom(...BLANKS) },
      { weight: 3, arbitrary: fc.constantFrom(...OPERATORS) },
      { weight: 2, arbitrary: fc.constantFrom(...QUOTES) },
      { weight: 2, arbitrary: fc.constantFrom(...PROGRAMS) },
    ),
    { minLength: 1, maxLength: 12 },
  )
  .map((tokens) => tokens.join(''));

const shell = stubbedShell();
afterAll(() => shell.dispose());

// The oracle is bash itself, in a folder of its own, with programs that only note that they were run.
describe('what bash makes of a command (DESIGN permissions)', () => {
  it('runs git, nothing else, and writes nothing, whenever a rule for git covers it', () => {
    const covered = sample(3_000)
      .map((rest) => `git ${rest}`)
      .filter((text) => commandIsCovered('git *', text));
    expect(covered.length).toBeGreaterThan(50);
    const isElse = (commands: readonly string[]) => {
      const { ran, wrote } = shell.run(...commands);
      return wrote.length > 0 || ran.length !== commands.length || ran.some((line) => !line.startsWith('git'));
    };
    expect(those(covered, isElse)).toEqual([]);
  });

  it.each([
    { rule: 'rm *', does: 'rm' },
    { rule: 'git push *', does: 'git push' },
  ])('never does $does when a rule against it says that it cannot', ({ rule, does }) => {
    const harmless = [...PAST_FINDS, ...sample(4_000)].filter((text) => commandMayContain(rule, text) === 'no');
    expect(harmless.length).toBeGreaterThan(300);
    const isDone = (commands: readonly string[]) =>
      shell.run(...commands).ran.some((line) => line === does || line.startsWith(`${does} `));
    expect(those(harmless, isDone)).toEqual([]);
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
    ...PAST_FINDS,
  ])('does run it in %j, so the oracle sees what it has to', (text) => {
    expect(shell.run(text).ran.map((line) => line.split(' ')[0])).toContain('rm');
    expect(commandMayContain('rm *', text)).not.toBe('no');
    expect(commandIsCovered('git *', text)).toBe(false);
  });

  it.each([
    'git push',
    'git $P',
    'git >f push',
    'echo push | xargs git',
    "git $'\\x70ush'",
    'git >f p"$@"ush',
    'git pus\\h',
  ])('does push in %j, and a rule against it knows', (text) => {
    expect(shell.run(text).ran).toContain('git push');
    expect(commandMayContain('git push *', text)).not.toBe('no');
  });
});

function sample(count: number): string[] {
  return fc.sample(command, { numRuns: runs(count), seed: seed() });
}

/** The commands of which the shell says so: many are tried at once, and one by one where one of them is. */
function those(commands: readonly string[], isSo: (commands: readonly string[]) => boolean, atOnce = 200): string[] {
  const found: string[] = [];
  for (let at = 0; at < commands.length; at += atOnce) {
    const some = commands.slice(at, at + atOnce);
    if (!isSo(some)) continue;
    found.push(...(some.length === 1 ? some : those(some, isSo, Math.ceil(some.length / 4))));
  }
  return found;
}
