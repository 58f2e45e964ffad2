import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { writePrivateFiles } from '../../launch/private-folder.ts';
import type { LaunchPlan } from '../../transport/transport.ts';
import { isRecord, parseRecord, recordsOf, stringOf } from '../../wire/fields.ts';
import type { Loopback } from './loopback.ts';
import { PERMISSION_SERVER, PERMISSION_TOOL } from './permission-server.ts';

/** A longer prompt is written to stdin: the system bounds each argument. */
const MAX_ARGUMENT_BYTES = 100_000;

/** Which conversation the first process begins or goes on with; the others go on with that one. */
const CONVERSATION = /^--(resume|continue|fork-session|session-id|resume-session-at|resume-drops-turn)(=|$)/;

export interface PrintSetting {
  readonly conversationId: string | undefined;
  readonly model: string | null | undefined;
  readonly permissionMode: string | undefined;
}

export interface PrintFiles {
  readonly mcpConfig: string;
  readonly settings: string | undefined;
  /** To be removed with the session. */
  readonly temporaryFiles: readonly string[];
}

/** Writes where the process finds the tools, hooks and permissions of the host: addresses that are secret stand in no argument (P11). */
export function writePrintFiles(
  plan: LaunchPlan,
  loopback: Loopback,
  initialize: Readonly<Record<string, unknown>>,
  execPath: string,
): PrintFiles {
  const { sdk_mcp_servers: names, hooks } = initialize;
  const own = [PERMISSION_SERVER, ...(Array.isArray(names) ? names.map(String) : [])];
  const servers = Object.fromEntries(own.map((name) => [name, { type: 'http', url: loopback.url('mcp', name) }]));
  const given = documentOf(plan, '--mcp-config=')?.['mcpServers'];
  const config = { mcpServers: { ...(isRecord(given) ? given : {}), ...servers } };
  const files = [{ name: 'mcp.json', content: JSON.stringify(config) }];
  const parent = plan.env['TMPDIR'] || tmpdir();
  const hasHooks = isRecord(hooks) && Object.keys(hooks).length > 0;
  if (hasHooks) files.push({ name: 'hook.mjs', content: hookProgram(loopback.url('hook', '')) });
  const first = writePrivateFiles(parent, files);
  const [mcpConfig = '', program = ''] = first;
  if (!hasHooks) return { mcpConfig, settings: undefined, temporaryFiles: first };
  const settings = { ...documentOf(plan, '--settings='), hooks: commandHooks(hooks, execPath, program) };
  const second = writePrivateFiles(parent, [{ name: 'settings.json', content: JSON.stringify(settings) }]);
  return { mcpConfig, settings: second[0], temporaryFiles: [...first, ...second] };
}

/** The plan of one process, which runs one prompt; `input` is what goes to its stdin. */
export function printPlan(
  plan: LaunchPlan,
  text: string,
  files: PrintFiles,
  setting: PrintSetting,
): { readonly plan: LaunchPlan; readonly input: string | undefined } {
  const isLong = Buffer.byteLength(text) > MAX_ARGUMENT_BYTES;
  const asks = !plan.args.some((argument) => argument.startsWith('--permission-prompt-tool='));
  const args = [
    ...plan.args.filter((argument) => !isReplaced(argument, files, setting)),
    ...(asks ? [`--permission-prompt-tool=${PERMISSION_TOOL}`] : []),
    `--mcp-config=${files.mcpConfig}`,
    ...(files.settings === undefined ? [] : [`--settings=${files.settings}`]),
    ...(typeof setting.model === 'string' ? [`--model=${setting.model}`] : []),
    ...(setting.permissionMode === undefined ? [] : [`--permission-mode=${setting.permissionMode}`]),
    ...(setting.conversationId === undefined ? [] : [`--resume=${setting.conversationId}`]),
    // What follows is the prompt, also where it begins with a dash.
    ...(isLong ? [] : ['--', text]),
  ];
  const noProxy = [plan.env['NO_PROXY'], '127.0.0.1'].filter(Boolean).join(',');
  const env = { ...plan.env, NO_PROXY: noProxy, no_proxy: noProxy };
  return { plan: { ...plan, args, env, temporaryFiles: [] }, input: isLong ? text : undefined };
}

function isReplaced(argument: string, files: PrintFiles, setting: PrintSetting): boolean {
  if (argument.startsWith('--mcp-config=')) return true;
  if (argument.startsWith('--settings=')) return files.settings !== undefined;
  if (argument.startsWith('--model=')) return setting.model !== undefined;
  if (argument.startsWith('--permission-mode=')) return setting.permissionMode !== undefined;
  return setting.conversationId !== undefined && CONVERSATION.test(argument);
}

/** JSON that an argument holds, or names. */
function documentOf({ args }: LaunchPlan, flag: string): Record<string, unknown> | undefined {
  const value = args.find((argument) => argument.startsWith(flag))?.slice(flag.length);
  if (value === undefined) return undefined;
  return parseRecord(value.trimStart().startsWith('{') ? value : readFileSync(value, 'utf8'));
}

function commandHooks(hooks: Record<string, unknown>, execPath: string, program: string): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(hooks).map(([event, entries]) => [
      event,
      recordsOf(entries).map(({ matcher, hookCallbackIds, timeout, onFailure }) => ({
        ...(stringOf(matcher) === undefined ? {} : { matcher }),
        hooks: (Array.isArray(hookCallbackIds) ? hookCallbackIds : []).map((id) => ({
          type: 'command',
          command: [execPath, program, String(id), onFailure === 'block' ? '2' : '1'].map(quoted).join(' '),
          // Seconds. The host knows when its own hook takes too long.
          timeout: typeof timeout === 'number' ? timeout : 86_400,
        })),
      })),
    ]),
  );
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Carries the input of a hook to the host, and its word back; exit code 2 keeps a tool from running. */
function hookProgram(url: string): string {
  return `import { request } from 'node:http';
import { argv, exit, stderr, stdin, stdout } from 'node:process';
const [, , id, failure] = argv;
const fail = (error) => {
  stderr.write(String(error));
  exit(Number(failure));
};
const call = request(${JSON.stringify(url)} + encodeURIComponent(id), { method: 'POST' }, async (response) => {
  const chunks = [];
  for await (const chunk of response) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  if (response.statusCode === 200) stdout.write(text);
  else fail(text);
});
call.on('error', fail);
stdin.pipe(call);
`;
}
