import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { namesTool, parseToolPattern, type ToolPattern } from '../../src/permissions/permission-rule.ts';

describe('the tool of a rule', () => {
  it.each([
    ['*', ['Bash', 'mcp__docs__read', 'AnythingNew'], []],
    ['Bash', ['Bash'], ['BashOutput', 'bash']],
    ['Bash(*)', ['Bash'], ['BashOutput']],
    ['Notebook*', ['NotebookEdit', 'NotebookRead'], ['Edit']],
    ['mcp__docs', ['mcp__docs__read', 'mcp__docs'], ['mcp__docs2__read', 'mcp__doc__read']],
    ['mcp__docs__*', ['mcp__docs__read'], ['mcp__docs2__read', 'mcp__docs']],
    ['mcp__docs__read', ['mcp__docs__read'], ['mcp__docs__reader']],
    ['mcp__*', ['mcp__docs__read', 'mcp__web__get'], ['Bash']],
    ['mcp__*__delete*', ['mcp__docs__delete_all'], ['mcp__docs__read']],
    ['Read(/src/**)', ['Read', 'Grep', 'Glob', 'LS', 'NotebookRead'], ['Edit', 'Write']],
    ['Edit(/src/**)', ['Edit', 'MultiEdit', 'Write', 'NotebookEdit'], ['Read']],
    ['Edit', ['Edit'], ['Write']],
    ['Write(/src/**)', ['Write'], ['Edit']],
    ['Task', ['Task', 'Agent'], []],
    ['Agent(reviewer)', ['Agent', 'Task'], []],
    ['KillShell', ['KillShell', 'TaskStop'], ['KillBash']],
  ])('%s names %j and not %j', (text, named, others) => {
    const pattern = parsed(text);
    expect(named.filter((name) => !namesTool(pattern, name))).toEqual([]);
    expect(others.filter((name) => namesTool(pattern, name))).toEqual([]);
  });

  it.each([
    ['Bash(git *)', { kind: 'command', pattern: 'git *' }],
    ['Bash(git:*)', { kind: 'command', pattern: 'git:*' }],
    ['Bash(echo "(a)")', { kind: 'command', pattern: 'echo "(a)"' }],
    ['Monitor(tail *)', { kind: 'command', pattern: 'tail *' }],
    ['WebFetch(domain:Example.com)', { kind: 'domain', pattern: 'example.com' }],
    ['WebFetch(domain:*.example.com)', { kind: 'domain', pattern: '*.example.com' }],
    ['Agent(reviewer)', { kind: 'name', pattern: 'reviewer', field: 'subagent_type' }],
    ['Task(rev*)', { kind: 'name', pattern: 'rev*', field: 'subagent_type' }],
    ['Skill(pdf:*)', { kind: 'name', pattern: 'pdf*', field: 'skill' }],
  ])('%s has an argument', (text, argument) => {
    expect(parsed(text).argument).toEqual(argument);
  });

  it.each([
    ['', 'must be the name of a tool'],
    [' ', 'must be the name of a tool'],
    ['Read,Write', 'must be the name of a tool'],
    ['Bash git', 'must be the name of a tool'],
    ['(git *)', 'must be the name of a tool'],
    ['Bash(git *', 'must end with ")"'],
    ['Bash(git *) ', 'must end with ")"'],
    ['Bash)', 'must be the name of a tool'],
    ['Bash()', 'empty parentheses'],
    ['Bash( )', 'empty parentheses'],
    ['Bash(git\nlog)', 'control characters'],
    ['bash', 'did you mean "Bash"?'],
    ['read(/src/**)', 'did you mean "Read"?'],
    ['*(git *)', 'must name one tool'],
    ['mcp__docs(x)', 'must name one tool'],
    ['mcp__docs__read(x)', 'none is known for "mcp__docs__read"'],
    ['WebSearch(x)', 'none is known for "WebSearch"'],
    ['WebFetch(example.com)', 'domain:example.com'],
    ['WebFetch(domain:https://example.com)', 'domain:example.com'],
    ['Edit(../x)', 'must not contain ".."'],
    ['Read(!x)', 'must not begin with "!"'],
  ])('%j is refused: %s', (text, fault) => {
    expect(parseToolPattern(text)).toEqual({ fault: expect.stringContaining(fault) });
  });

  it.each([
    ['Bash', true],
    ['Bash(git *)', true],
    ['AskUserQuestion', true],
    ['mcp__docs__read', true],
    ['*', false],
    ['Ask*', false],
    ['mcp__docs', false],
    ['mcp__docs__*', false],
  ])('%s names one tool only: %s', (text, isExact) => {
    expect(parsed(text).isExact).toBe(isExact);
  });

  it('is read or refused, whatever the text: nothing throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const pattern = parseToolPattern(text);
        if ('fault' in pattern) expect(pattern.fault).not.toBe('');
        else expect(pattern.names.length).toBeGreaterThan(0);
      }),
    );
  });
});

function parsed(text: string): ToolPattern {
  const pattern = parseToolPattern(text);
  if ('fault' in pattern) throw new Error(`${text} ${pattern.fault}`);
  return pattern;
}
