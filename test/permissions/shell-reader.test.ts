// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are words of a shell, not templates.
import { describe, expect, it } from 'vitest';
import { commandMayContain } from '../../src/permissions/shell-command.ts';
import { readShell } from '../../src/permissions/shell-reader.ts';

describe('a shell reader', () => {
  it.each([
    ['a b', ['a b']],
    ['a;b&&c|d&e||f', ['a', 'b', 'c', 'd', 'e', 'f']],
    ['A=1 B=2 a b', ['a b']],
    ['>f a <g b 2>&1 {fd}>h c &>i', ['a b c']],
    ['a <<<"x y" b', ['a b']],
    ["a 'b c' \"d e\" f\\ g $'h'", ['a b c d e f g h']],
    ['if a; then b; else c; fi', ['a', 'b', 'c']],
    ['for x in a b; do c; done', ['for x in a b', 'c']],
    ['! { a; }', ['a']],
    ['(a; b) | c', ['a', 'b', 'c']],
    ['a $(b `c`) "$(d)" <(e)', ['c', 'b `c`', 'd', 'e', 'a $(b `c`) "$(d)" <(e)']],
    ['f() { a; }; f', ['a', 'f']],
    ['a # b\nc', ['a', 'c']],
    ['a \\\n b', ['a b']],
    ["a <<'E' b\n$(c) `d`\nE\nf", ['a b', 'f']],
    ['a <<-E\n\tx $Y\n\tE\nb', ['a', 'b']],
    ["a \"$(cat <<'E'\ndon't\nE\n)\"", ['cat', "a \"$(cat <<'E'\ndon't\nE\n)\""]],
    ['', []],
  ])('finds the commands of %j', (text, commands) => {
    const read = readShell(text)?.commands.map(({ words }) => words.map((word) => word.text).join(' '));
    expect(read).toEqual(commands);
  });

  it.each([
    "'a",
    '"a',
    '`a',
    '$(a',
    '(a',
    'a)',
    'a (b)',
    'a=(b)',
    'a[0]=b',
    'r@(m)',
    '$((1))',
    '((a))',
    '[[ a ]]',
    'case a in b) c;; esac',
    'a <<E',
    'a <<E\n$(b)\nE',
    'cat $(cat <<E) x\nE',
    'a <<"E F"\nx\nE F',
    'r\\\nm',
    'for x do rm; done',
    'coproc a',
    '${a@P}',
    '${!a}',
    '$[1]',
    'a >!b c',
    'a\rb',
    'a\u00a0b',
    'a\\',
    '$('.repeat(200),
  ])('does not say what it is not sure of: %j', (text) => {
    expect(readShell(text)).toBeUndefined();
  });
});

describe('a rule that denies', () => {
  it.each([
    'git log --oneline | head -5',
    'cd app && npm test 2>&1 | tail -20',
    "git commit -m \"$(cat <<'EOF'\nFix it (don't ask)\n\nSee `code`\nEOF\n)\"",
    "cat > a.txt <<'EOF'\nhello $X `y`\nEOF",
    "find . -name '*.ts' -not -path './node_modules/*' | head",
    "find . -name '*.ts' -exec grep -l foo {} +",
    'for f in *.ts; do wc -l "$f"; done',
    'if [ -f x ]; then cat x; else echo none; fi',
    'export FOO=bar && node server.js',
    'python3 -m pytest tests/ -q',
    "awk '{print $1}' f",
    'while read -r l; do echo "$l"; done < f',
    'mkdir -p a/{b,c}',
    "git log --format='%h %s' $(git merge-base a b)..HEAD",
    'f() { ls; }; f',
    'ls | xargs wc -l',
    'gh pr create --title "a" --body \'use `x`\'',
    'time npm test',
    'ls \\\n  -la',
  ])('does not hinder everyday work: %j', (command) => {
    expect(commandMayContain('rm *', command)).toBe('no');
    expect(commandMayContain('git push *', command)).toBe('no');
  });

  it.each([
    "{fd}>f $'r\\155'",
    '>f <g $X',
    "env -S 'r\\x6d x'",
    'printf x | xargs env',
    'find . -exec {} +',
    'eval {r,}m',
    'trap "$X" EXIT',
    "PS4='`$X`' true",
    "test -v 'a[$(r\\m)]'",
    "f() { [ -v $1 ]; }; f 'a[$(r\\m)]'",
    "ssh host 'r\\m'",
    'PATH=x git',
    'bash /dev/stdin <<< x',
    'python3 -c x',
    'perl -ne x',
    'echo x | node',
    'timeout 5 sh -c x',
    'sudo -u me xargs -I% %',
    '~',
    '$"rm"',
  ])('cannot be ruled out where the text does not tell what runs: %j', (command) => {
    expect(commandMayContain('xx *', command)).toBe('perhaps');
  });

  it.each(['git >f push', '2>&1 git "push"', 'git <<< x pus\\h', "'git' \\\n push"])(
    'finds the words of a command wherever they stand: %j',
    (command) => {
      expect(commandMayContain('git push *', command)).toBe('yes');
    },
  );

  it.each(['echo push | xargs git', 'git >f p"$X"h', "git >f $'p\\165sh'"])(
    'cannot be ruled out where arguments come from elsewhere: %j',
    (command) => {
      expect(commandMayContain('git push *', command)).toBe('perhaps');
    },
  );
});
