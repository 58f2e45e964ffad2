import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PermissionRule } from '../../src/permissions/permission-rule.ts';
import { RuleBook, type Ruling } from '../../src/permissions/rule-book.ts';
import { bookOf } from './desk-harness.ts';

const allow = (tool: string): PermissionRule => ({ tool, behavior: 'allow' });
const deny = (tool: string): PermissionRule => ({ tool, behavior: 'deny' });
const ask = (tool: string): PermissionRule => ({ tool, behavior: 'ask' });

describe('rules (DESIGN permissions)', () => {
  it('say nothing about what none of them fits', async () => {
    expect(await judged([])).toBe('nothing');
    expect(await judged([allow('Read'), deny('Bash(rm *)')], 'Bash', { command: 'ls' })).toBe('nothing');
  });

  it('deny before they ask before they allow, over both places', async () => {
    expect(await judged([allow('Bash'), ask('Bash'), deny('Bash')])).toBe('deny');
    expect(await judged([allow('Bash'), ask('Bash')])).toBe('ask');
    expect(await judged([allow('Bash')])).toBe('allow');
    expect((await bookOf([allow('Bash')], [deny('Bash')]).judge('Bash', {}, false))?.behavior).toBe('deny');
    expect((await bookOf([deny('Bash')], [allow('Bash')]).judge('Bash', {}, false))?.behavior).toBe('deny');
  });

  it('decide the same in every order', async () => {
    const rule = fc.constantFrom(
      allow('*'),
      allow('Bash(git *)'),
      ask('Bash(git push *)'),
      deny('Bash(rm *)'),
      deny('mcp__*'),
    );
    const command = fc.constantFrom('git log', 'git push', 'git log; rm x', 'ls', 'git $X');
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(rule), command, fc.nat(), async (rules, text, split) => {
        const [one, other] = [rules.slice(0, split % 6), rules.slice(split % 6)];
        const behaviors = await Promise.all(
          [bookOf(rules), bookOf(rules.toReversed()), bookOf(one, other), bookOf(other, one)].map(
            async (book) => (await book.judge('Bash', { command: text }, false))?.behavior,
          ),
        );
        expect(new Set(behaviors).size).toBe(1);
      }),
    );
  });

  it('say by which of them, and where it stands', async () => {
    expect(await bookOf([], [deny('Bash(rm *)')]).judge('Bash', { command: 'rm x' }, false)).toEqual({
      behavior: 'deny',
      rule: { tool: 'Bash(rm *)', behavior: 'deny', source: 'supervisor' },
    });
  });

  it('leave to a person what may be forbidden and cannot be told', async () => {
    expect(await judged([deny('Bash(rm *)'), allow('Bash')], 'Bash', { command: '$X y' })).toBe('ask');
    expect(await judged([deny('Bash(rm *)'), allow('Bash')], 'Bash', {})).toBe('ask');
    expect(await judged([deny('Read(.env)'), allow('Read')], 'Read', { file_path: 7 })).toBe('ask');
    expect(await judged([deny('WebFetch(domain:a.com)'), allow('WebFetch')], 'WebFetch', { url: '::' })).toBe('ask');
    expect(await judged([deny('Agent(x)'), allow('Agent')], 'Agent', {})).toBe('ask');
  });

  it.each([
    ['Bash(git *)', 'Bash', { command: 'git log', dangerouslyDisableSandbox: true }],
    ['Bash(git *)', 'Bash', { command: ['git log'] }],
    ['Bash(git *)', 'Bash', {}],
    ['Bash', 'Monitor', { command: 'ls' }],
    ['Read(/src/**)', 'Read', {}],
    ['Read(/src/**)', 'Read', { file_path: '' }],
    ['Read(/src/**)', 'Read', { file_path: 'src/a\0b' }],
    ['Read(/src/**)', 'Read', { file_path: 'src/../a' }],
    ['Read(/src/**)', 'Read', { file_path: '~/src/a' }],
    ['Read(/src/*)', 'Grep', { pattern: 'x', path: 'src' }],
    ['Read(/src/**)', 'Grep', { pattern: 'x' }],
    ['Read(/src/**)', 'Glob', { pattern: '../**', path: 'src' }],
    ['Read(/src/**)', 'Glob', { pattern: '/etc/*', path: 'src' }],
    ['Read(/src/**)', 'Grep', { pattern: 'x', path: 'src', glob: '~/*' }],
    ['Read(/src/**)', 'Write', { file_path: 'src/a' }],
    ['WebFetch(domain:example.com)', 'WebFetch', { url: 'https://example.com@evil.com/' }],
    ['WebFetch(domain:example.com)', 'WebFetch', { url: 'https://example.com.evil.com/' }],
    ['WebFetch(domain:example.com)', 'WebFetch', { url: 'https://www.example.com/' }],
    ['WebFetch(domain:example.com)', 'WebFetch', {}],
    ['Skill(pdf)', 'Skill', { skill: 'pdf2' }],
    ['mcp__docs', 'mcp__docs2__read', {}],
  ])('that allow are narrow: %s does not allow %s %j', async (tool, toolName, input) => {
    expect(await judged([allow(tool)], toolName, input)).toBe('nothing');
  });

  it.each([
    ['Read(/src/**)', 'Read', { file_path: '/srv/app/src/a' }],
    ['Read(/src/**)', 'Grep', { pattern: 'x', path: 'src' }],
    ['Read(/src/**)', 'Glob', { pattern: '**/*.ts', path: './src' }],
    ['Read(**)', 'Glob', { pattern: '**/*.ts' }],
    ['Read(~/notes/*)', 'Read', { file_path: '~/notes/a' }],
    ['Edit(/src/**)', 'Write', { file_path: 'src/new' }],
    ['Edit(/src/**)', 'NotebookEdit', { notebook_path: 'src/a.ipynb' }],
    ['WebFetch(domain:example.com)', 'WebFetch', { url: 'http://Example.com.:80/x' }],
    ['Agent(rev*)', 'Task', { subagent_type: 'reviewer' }],
    ['Skill(pdf)', 'Skill', { skill: 'pdf' }],
    ['Monitor(tail *)', 'Monitor', { command: 'tail -f x' }],
    ['mcp__docs', 'mcp__docs__read', {}],
  ])('that allow: %s allows %s %j', async (tool, toolName, input) => {
    expect(await judged([allow(tool)], toolName, input)).toBe('allow');
  });

  it.each([
    ['Bash(rm *)', 'Monitor', { command: 'while true; do rm x; done' }],
    ['Bash', 'Monitor', { command: 'ls' }],
    ['Read(.env)', 'Read', { file_path: 'deep/.env' }],
    ['Read(.env)', 'Grep', { pattern: 'x', path: '.env' }],
    ['Edit(/src/**)', 'Write', { file_path: 'x/../src/a' }],
    ['WebFetch(domain:*.example.com)', 'WebFetch', { url: 'www.example.com/x' }],
  ])('that deny are wide: %s denies %s %j', async (tool, toolName, input) => {
    expect(await judged([allow('*'), deny(tool)], toolName, input)).toBe('deny');
  });

  it.each([
    ['Read(/secret/**)', 'Grep', { pattern: 'x' }],
    ['Read(/secret/**)', 'Glob', { pattern: '/srv/**', path: 'src' }],
    ['Read(.env)', 'Read', { file_path: '.ENV' }],
    ['Bash(rm *)', 'Bash', { command: 'RM x' }],
  ])('that deny cannot be ruled out: %s asks about %s %j', async (tool, toolName, input) => {
    expect(await judged([allow('*'), deny(tool)], toolName, input)).toBe('ask');
  });
});

describe('questions to the user (WIRE §18)', () => {
  it.each(['AskUserQuestion', 'ExitPlanMode'])('are answered by no rule that allows: %s', async (toolName) => {
    expect(await judged([allow('*'), allow(toolName)], toolName)).toBe('nothing');
    expect(await judged([deny('*'), deny('Ask*'), deny('Exit*')], toolName)).toBe('nothing');
    expect(await judged([ask('*')], toolName)).toBe('nothing');
    expect(await judged([deny(toolName)], toolName)).toBe('deny');
  });

  it('are known by what the CLI says of them, too', async () => {
    expect(await judged([allow('*'), allow('Novel')], 'Novel', {}, true)).toBe('nothing');
    expect(await judged([allow('*')], 'Novel', {}, false)).toBe('allow');
    expect(await judged([deny('*')], 'Novel', {}, true)).toBe('nothing');
    expect(await judged([deny('Novel')], 'Novel', {}, true)).toBe('deny');
  });
});

describe('links', () => {
  const links: Readonly<Record<string, string>> = {
    '/srv/app/src/out': '/etc/passwd',
    '/srv/app/linked': '/data/linked',
    '/srv/app/linked/a': '/data/linked/a',
    '/srv/app/alias': '/srv/app/.env',
  };
  const book = (...rules: PermissionRule[]) =>
    new RuleBook({
      session: rules,
      supervisor: [],
      roots: { cwd: '/srv/app', home: '/home/user' },
      realPath: (path) => Promise.resolve(links[path] ?? path),
      maxGrants: 10,
    });

  it('lead out of what a rule allows', async () => {
    expect(await book(allow('Read(/src/**)')).judge('Read', { file_path: 'src/out' }, false)).toBeUndefined();
    expect(await book(allow('Read(/src/**)')).judge('Read', { file_path: 'src/in' }, false)).toBeDefined();
  });

  it('of the folder itself are followed', async () => {
    expect((await book(allow('Read(/linked/**)')).judge('Read', { file_path: 'linked/a' }, false))?.behavior).toBe(
      'allow',
    );
  });

  it('lead into what a rule denies', async () => {
    expect((await book(deny('Read(.env)')).judge('Read', { file_path: 'alias' }, false))?.behavior).toBe('deny');
    expect((await book(deny('Read(//etc/**)')).judge('Read', { file_path: 'src/out' }, false))?.behavior).toBe('deny');
    expect((await book(deny('Read(/linked/**)')).judge('Read', { file_path: '/data/linked/a' }, false))?.behavior).toBe(
      'deny',
    );
  });
});

describe('what was granted for the session', () => {
  it('is that very call, in whatever order its fields come and however it is described', async () => {
    const book = bookOf([]);
    book.grant('Bash', { command: 'make x', description: 'one', timeout: 5 }, []);
    const behavior = async (input: Record<string, unknown>) => (await book.judge('Bash', input, false))?.behavior;
    expect(await behavior({ timeout: 5, command: 'make x', description: 'other' })).toBe('allow');
    expect(await behavior({ command: 'make x' })).toBeUndefined();
    expect(await behavior({ command: 'make x ', timeout: 5 })).toBeUndefined();
    expect(await book.judge('Read', { command: 'make x', timeout: 5 }, false)).toBeUndefined();
  });

  it('is also what the CLI offered as rules for it, as far as they can be read', async () => {
    const book = bookOf([]);
    book.grant('Bash', { command: 'npm test' }, ['Bash(npm test:*)', 'bash(x', '']);
    expect(await book.judge('Bash', { command: 'npm test --watch' }, false)).toEqual({
      behavior: 'allow',
      rule: { tool: 'Bash(npm test:*)', behavior: 'allow', source: 'granted' },
    });
    expect(await book.judge('Bash', { command: 'npm test; rm x' }, false)).toBeUndefined();
  });

  it('gives way to rules that deny or ask', async () => {
    for (const rule of [deny('Bash(make *)'), ask('Bash(make *)')]) {
      const book = bookOf([rule]);
      book.grant('Bash', { command: 'make x' }, ['Bash']);
      expect((await book.judge('Bash', { command: 'make x' }, false))?.behavior).toBe(rule.behavior);
    }
  });

  it('is never an answer to a question to the user', async () => {
    const book = bookOf([]);
    book.grant('AskUserQuestion', { questions: [] }, ['*']);
    expect(await book.judge('AskUserQuestion', { questions: [] }, false)).toBeUndefined();
    expect(await book.judge('Bash', {}, false)).toBeUndefined();
  });

  it('is bounded: the oldest goes first, and the same twice counts once (P9)', async () => {
    const book = bookOf([]);
    for (let index = 0; index <= 100; index += 1) book.grant('Bash', { command: `make ${index}` }, []);
    for (let index = 0; index <= 100; index += 1) book.grant('Bash', { command: 'make 100' }, []);
    expect(await book.judge('Bash', { command: 'make 0' }, false)).toBeUndefined();
    expect(await book.judge('Bash', { command: 'make 1' }, false)).toBeDefined();
  });
});

describe('a book of rules', () => {
  it('guards every call only when something in it denies or asks', () => {
    expect(bookOf([]).guards).toBe(false);
    expect(bookOf([allow('*')]).guards).toBe(false);
    expect(bookOf([allow('*')], [deny('Bash')]).guards).toBe(true);
    expect(bookOf([ask('Bash')]).guards).toBe(true);
  });
});

async function judged(
  rules: readonly PermissionRule[],
  toolName = 'Bash',
  input: Record<string, unknown> = {},
  isForPeople = false,
): Promise<Ruling['behavior'] | 'nothing'> {
  return (await bookOf(rules).judge(toolName, input, isForPeople))?.behavior ?? 'nothing';
}
