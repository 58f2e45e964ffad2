import { readFileSync } from 'node:fs';
import type { JsonObject } from './scenario.ts';

/** The command line of the CLI, as far as the fake acts on it. Unknown options are taken silently. */
export interface Launch {
  readonly isPrint: boolean;
  readonly isVerbose: boolean;
  readonly inputFormat: string;
  readonly outputFormat: string;
  readonly sessionId: string | undefined;
  readonly resume: string | undefined;
  readonly isContinue: boolean;
  readonly isFork: boolean;
  readonly isPersistent: boolean;
  readonly model: string | undefined;
  readonly permissionMode: string;
  readonly asksOverStdio: boolean;
  /** The tool of an MCP server that decides about others. */
  readonly permissionTool: string | undefined;
  /** Of `--settings`, where that is a file or JSON. */
  readonly settings: JsonObject;
  readonly mayBypass: boolean;
  readonly replaysUserMessages: boolean;
  readonly includesPartialMessages: boolean;
  readonly isVersion: boolean;
  /** Servers of `--mcp-config`, by name, as given. */
  readonly mcpServers: Readonly<Record<string, JsonObject>>;
  readonly prompt: string | undefined;
}

const VALUE_OPTIONS = new Set([
  '--input-format',
  '--output-format',
  '--session-id',
  '--resume',
  '-r',
  '--model',
  '--fallback-model',
  '--permission-mode',
  '--permission-prompt-tool',
  '--mcp-config',
  '--setting-sources',
  '--settings',
  '--max-turns',
  '--max-budget-usd',
  '--max-thinking-tokens',
  '--system-prompt',
  '--append-system-prompt',
  '--agents',
  '--allowedTools',
  '--allowed-tools',
  '--disallowedTools',
  '--disallowed-tools',
  '--tools',
  '--add-dir',
  '--resume-session-at',
  '--effort',
  '--betas',
  '--json-schema',
  '--plugin-dir',
]);

/** Reads the arguments after the executable's own name. Throws an Error with the CLI's complaint for a bad `--mcp-config`. */
export function readLaunch(argv: readonly string[]): Launch {
  const { options, prompt } = readOptions(argv);
  const value = (...names: string[]) =>
    names.map((name) => options.get(name)?.at(-1)).find((found) => found !== undefined);
  const has = (...names: string[]) => names.some((name) => options.has(name));
  return {
    isPrint: has('--print', '-p'),
    isVerbose: has('--verbose'),
    inputFormat: value('--input-format') ?? 'text',
    outputFormat: value('--output-format') ?? 'text',
    sessionId: value('--session-id'),
    resume: value('--resume', '-r'),
    isContinue: has('--continue', '-c'),
    isFork: has('--fork-session'),
    isPersistent: !has('--no-session-persistence'),
    model: value('--model'),
    permissionMode: has('--dangerously-skip-permissions')
      ? 'bypassPermissions'
      : (value('--permission-mode') ?? 'default'),
    asksOverStdio: value('--permission-prompt-tool') === 'stdio',
    permissionTool: options.get('--permission-prompt-tool')?.find((tool) => tool.startsWith('mcp__')),
    settings: readSettings(value('--settings')),
    mayBypass: has('--dangerously-skip-permissions', '--allow-dangerously-skip-permissions'),
    replaysUserMessages: has('--replay-user-messages'),
    includesPartialMessages: has('--include-partial-messages'),
    isVersion: has('--version', '-v'),
    mcpServers: readMcpConfig(options.get('--mcp-config') ?? []),
    prompt,
  };
}

function readOptions(argv: readonly string[]): { options: Map<string, string[]>; prompt: string | undefined } {
  const options = new Map<string, string[]>();
  let prompt: string | undefined;
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] ?? '';
    if (word === '--') {
      prompt = argv.slice(index + 1).join(' ');
      break;
    }
    if (!word.startsWith('-')) {
      prompt = word;
      continue;
    }
    const equals = word.startsWith('--') ? word.indexOf('=') : -1;
    const name = equals === -1 ? word : word.slice(0, equals);
    const values = options.get(name) ?? [];
    options.set(name, values);
    if (equals !== -1) values.push(word.slice(equals + 1));
    else if (VALUE_OPTIONS.has(name)) values.push(argv[++index] ?? '');
  }
  return { options, prompt };
}

function readMcpConfig(sources: readonly string[]): Record<string, JsonObject> {
  const servers: Record<string, JsonObject> = {};
  for (const source of sources) {
    const text = source.trimStart().startsWith('{') ? source : readFileSync(source, 'utf8');
    const parsed = JSON.parse(text) as { mcpServers?: Record<string, JsonObject> };
    if (parsed.mcpServers === undefined) throw new Error('Invalid MCP configuration: mcpServers is missing');
    Object.assign(servers, parsed.mcpServers);
  }
  return servers;
}

function readSettings(source: string | undefined): JsonObject {
  if (source === undefined) return {};
  try {
    return JSON.parse(source.trimStart().startsWith('{') ? source : readFileSync(source, 'utf8')) as JsonObject;
  } catch {
    // What is wrong with it nobody has measured.
    return {};
  }
}
