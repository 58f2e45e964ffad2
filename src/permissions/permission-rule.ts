import { type PathPattern, parsePathPattern } from './path-pattern.ts';
import { fitsWildcard } from './wildcard.ts';

/** A standing decision. Whatever their order: `deny` before `ask` before `allow`; what no rule fits is asked. */
export interface PermissionRule {
  /**
   * A tool name or a pattern of names (`*`, `mcp__docs__*`), `mcp__docs` for a whole server, or a tool with an argument:
   * `Bash(git *)`, `Bash(git:*)`, `Edit(/src/**)`, `Read(//etc/**)`, `Read(~/notes)`, `WebFetch(domain:example.com)`,
   * `Agent(reviewer)`, `Skill(pdf)`.
   */
  readonly tool: string;
  readonly behavior: 'allow' | 'deny' | 'ask';
}

/** What stands in the parentheses. */
export type RuleArgument =
  | { readonly kind: 'command'; readonly pattern: string }
  | { readonly kind: 'path'; readonly pattern: PathPattern }
  | { readonly kind: 'domain'; readonly pattern: string }
  | { readonly kind: 'name'; readonly pattern: string; readonly field: string };

export interface ToolPattern {
  readonly text: string;
  /** A wildcard for names of tools. */
  readonly names: readonly string[];
  /** It names one tool: no pattern, no server. */
  readonly isExact: boolean;
  readonly argument: RuleArgument | undefined;
}

/** Tools that a rule for files covers beside its own name, as the CLI reads it. */
const COVERED: Readonly<Record<string, readonly string[]>> = {
  Read: ['Read', 'Grep', 'Glob', 'LS', 'NotebookRead'],
  Edit: ['Edit', 'MultiEdit', 'Write', 'NotebookEdit'],
};
const PATH_TOOLS = new Set(Object.values(COVERED).flat());

/** Former names of tools and the ones of today; a rule for one is a rule for both. */
const RENAMED: readonly (readonly [former: string, today: string])[] = [
  ['Task', 'Agent'],
  ['KillShell', 'TaskStop'],
  ['KillBash', 'TaskStop'],
];

const WELL_KNOWN = ['Bash', 'Monitor', ...PATH_TOOLS, 'WebFetch', 'WebSearch', 'Agent', 'Task', 'Skill', 'TodoWrite'];

/** Reads the `tool` of a rule. A fault says what is wrong with it. */
export function parseToolPattern(text: string): ToolPattern | { readonly fault: string } {
  if (/\p{Cc}/u.test(text)) return { fault: 'must not contain control characters or line breaks' };
  const open = text.indexOf('(');
  const name = open < 0 ? text : text.slice(0, open);
  if (!/^[^\s(),]+$/u.test(name)) return { fault: 'must be the name of a tool, or a pattern of names' };
  if (open >= 0 && !text.endsWith(')')) return { fault: 'must end with ")"' };
  const known = WELL_KNOWN.find((tool) => tool !== name && tool.toLowerCase() === name.toLowerCase());
  if (known !== undefined) return { fault: `names no tool; did you mean "${known}"?` };
  const body = open < 0 ? '*' : text.slice(open + 1, -1).trim();
  if (body === '') return { fault: 'must not have empty parentheses' };
  const isServer = /^mcp__((?!__).)+$/.test(name) && !name.includes('*');
  const isExact = !isServer && !name.includes('*');
  const pattern = { text, isExact, names: isServer ? [name, `${name}__*`] : formsOf(name), argument: undefined };
  if (body === '*') return pattern;
  if (!isExact) return { fault: 'must name one tool to have an argument' };
  const argument = argumentOf(name, body);
  if ('fault' in argument) return argument;
  return { ...pattern, argument, names: argument.kind === 'path' ? (COVERED[name] ?? [name]) : pattern.names };
}

export function namesTool(pattern: ToolPattern, toolName: string): boolean {
  return pattern.names.some((name) => fitsWildcard(name, toolName));
}

function argumentOf(tool: string, body: string): RuleArgument | { readonly fault: string } {
  if (PATH_TOOLS.has(tool)) {
    const pattern = parsePathPattern(body);
    return 'fault' in pattern ? pattern : { kind: 'path', pattern };
  }
  switch (tool) {
    case 'Bash':
    case 'Monitor':
      return { kind: 'command', pattern: body };
    case 'WebFetch':
      return /^domain:[^\s/:@]+$/.test(body)
        ? { kind: 'domain', pattern: body.slice('domain:'.length).toLowerCase() }
        : { fault: 'must have an argument such as "domain:example.com"' };
    case 'Agent':
    case 'Task':
      return { kind: 'name', pattern: body, field: 'subagent_type' };
    case 'Skill':
      return { kind: 'name', pattern: body.replace(/:\*$/, '*'), field: 'skill' };
    default:
      return { fault: `must have no argument: none is known for "${tool}"` };
  }
}

function formsOf(name: string): readonly string[] {
  const others = RENAMED.flatMap((pair) => (pair.includes(name) ? pair : []));
  return [...new Set([name, ...others])];
}
