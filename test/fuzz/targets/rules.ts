import { type PermissionRule, parseToolPattern } from '../../../src/permissions/permission-rule.ts';
import { RuleBook } from '../../../src/permissions/rule-book.ts';
import { isRecord } from '../../../src/wire/fields.ts';
import { jsonOf, jsonSeeds } from '../json-input.ts';
import { type FuzzTarget, holds } from '../target.ts';

const CALLS: readonly (readonly [string, unknown])[] = [
  ['Bash', { command: 'git log -p && rm -rf "$HOME" # x' }],
  ['Bash', { command: "cat <<'E'\nx\nE\nfor f in *; do echo `id` $(ls); done > /tmp/a 2>&1" }],
  ['Edit', { file_path: '/project/src/../../etc/passwd', old_string: 'a', new_string: 'b' }],
  ['Grep', { pattern: 'x', path: '~/notes' }],
  ['WebFetch', { url: 'https://user@EXAMPLE.com.:443/a?b#c' }],
  ['Agent', { subagent_type: 'reviewer' }],
  ['mcp__docs__read', { a: [1, { b: null }] }],
  ['AskUserQuestion', { questions: [] }],
];

const RULES: readonly string[] = [
  '*',
  'Bash',
  'Bash(git *)',
  'Bash(git:*)',
  'Edit(/src/**)',
  'Read(//etc/**)',
  'Read(~/notes)',
  'Read(.env)',
  'WebFetch(domain:*.example.com)',
  'Agent(reviewer)',
  'Skill(pdf)',
  'mcp__docs',
  'mcp__docs__*',
  'Grep(/src/*/[ab]?.ts)',
];

export const target: FuzzTarget = {
  name: 'rules',
  promise: 'P4, P11 Rules and calls of any shape are judged or refused; what names a tool and denies it, denies it.',
  format: 'json',
  isGuided: true,
  seeds: () =>
    jsonSeeds(
      ...CALLS.map(([tool, input], at) => ({ rules: rulesFrom(at), tool, input })),
      ...RULES.map((rule) => ({
        rules: [{ tool: rule, behavior: 'deny' }],
        tool: 'Bash',
        input: { command: 'git push' },
      })),
    ),
  open: () => ({ run: judges }),
};

async function judges(input: Buffer): Promise<void> {
  const given = jsonOf(input);
  if (!isRecord(given)) return;
  const { rules, tool, input: of } = given;
  if (typeof tool !== 'string' || !isRecord(of)) return;
  const read = rulesOf(rules);
  const ruling = await bookOf(read).judge(tool, of, false);
  const behavior = ruling?.behavior ?? 'nothing';
  holds(['allow', 'deny', 'ask', 'nothing'].includes(behavior), `It was judged ${behavior}.`);

  // A rule more, and one that fits for sure: whatever was so before, it is denied.
  const name = parseToolPattern(tool);
  // With parentheses it is a pattern of the tool before them.
  if ('fault' in name || !name.isExact || name.argument !== undefined || tool.includes('(')) return;
  const denied = await bookOf([...read, { tool, behavior: 'deny' }]).judge(tool, of, false);
  holds(denied?.behavior === 'deny', () => `${tool} is denied and was judged ${denied?.behavior}.`);

  const granted = bookOf([]);
  granted.grant(tool, of, []);
  const again = bookOf([]);
  again.restoreGrants(granted.grants());
  const [one, other] = [await granted.judge(tool, of, false), await again.judge(tool, of, false)];
  holds(one?.behavior === other?.behavior, `A grant is ${one?.behavior}, and ${other?.behavior} once it was kept.`);
}

/** Those that would be accepted as options. */
function rulesOf(given: unknown): PermissionRule[] {
  if (!Array.isArray(given)) return [];
  return given.slice(0, 50).flatMap((rule: unknown) => {
    if (!isRecord(rule) || typeof rule['tool'] !== 'string') return [];
    const { tool, behavior } = rule;
    if (behavior !== 'allow' && behavior !== 'deny' && behavior !== 'ask') return [];
    return 'fault' in parseToolPattern(tool) ? [] : [{ tool, behavior }];
  });
}

function bookOf(session: readonly PermissionRule[]): RuleBook {
  const roots = { cwd: '/project', home: '/home/user' };
  return new RuleBook({ session, supervisor: [], roots, realPath: async (path) => path, maxGrants: 10 });
}

function rulesFrom(at: number): PermissionRule[] {
  const behaviors = ['allow', 'deny', 'ask'] as const;
  return RULES.slice(at, at + 4).map((tool, index) => ({ tool, behavior: behaviors[index % 3] ?? 'ask' }));
}
