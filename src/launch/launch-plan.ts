import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import type { LaunchPlan } from '../transport/transport.ts';
import type { DialectOption } from '../wire/dialect.ts';
import { findCli } from './cli-executable.ts';
import { dialectArguments, dialectPayload } from './dialect-arguments.ts';
import type { LaunchFiles } from './launch-arguments.ts';
import { launchEnvironment } from './launch-environment.ts';
import { mcpDocument } from './mcp-document.ts';
import { invalidOptions } from './option-issue.ts';
import { isUnconfirmedBypass, UNCONFIRMED_BYPASS } from './option-rules.ts';
import { type PrivateFile, writePrivateFiles } from './private-folder.ts';
import type { PermissionMode, SessionOptions } from './session-options.ts';
import { settingsDocument } from './settings-document.ts';

/** What a child may take over from the process that runs Troupe; read anew at every start. */
export interface LaunchHost {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The Node executable, for a CLI that is a script. */
  readonly execPath: string;
  /** How the name of the folder for private files begins. Default: `troupe-`. */
  readonly folderPrefix?: string | undefined;
  /** The active span, as variables. */
  readonly trace?: Readonly<Record<string, string>> | undefined;
}

export interface LaunchRequest {
  readonly options: SessionOptions;
  readonly sessionId: string;
  /** From 1: the how-manieth process of the session this is. */
  readonly incarnation: number;
  /** The conversation so far. From the second incarnation on it replaces what the options say (P8). */
  readonly resume?: string | undefined;
  /** What was changed while the session ran: it overrides the options (P8). */
  readonly settings?: { readonly model?: string | undefined; readonly permissionMode?: string | undefined } | undefined;
  readonly host: LaunchHost;
  readonly stderrTailBytes: number;
  /** Milliseconds the CLI gives an MCP server to connect, unless the environment says otherwise. */
  readonly mcpTimeoutMs?: number | undefined;
  /** Random text that makes the mark unlike that of any other process. */
  readonly token: string;
}

export interface PlannedLaunch {
  readonly plan: LaunchPlan;
  /** Fields of the `initialize` request. */
  readonly initialize: Record<string, unknown>;
  /** In what it is spoken to. */
  readonly dialect: DialectOption;
}

/**
 * Resolves everything a start needs, and writes the private files for it; whoever starts the plan removes them. Rejects
 * with CLI_NOT_FOUND, CLI_NOT_EXECUTABLE, ARGUMENTS_TOO_LARGE, SPAWN_FAILED or INVALID_OPTIONS, and then leaves no file.
 */
export async function planLaunch(request: LaunchRequest): Promise<PlannedLaunch> {
  const { sessionId, incarnation, host, token, stderrTailBytes } = request;
  const options = effectiveOptions(request);
  const mark = `${sessionId}:${incarnation}:${token}`;
  const { mcpTimeoutMs } = request;
  const env = launchEnvironment(host.env, { ...options, mcpTimeoutMs, trace: host.trace }, mark);
  const cli = await findCli({
    path: options.pathToClaudeCodeExecutable,
    searchPath: env['PATH'] ?? host.env['PATH'],
    cwd: host.cwd,
    executable: options.executable,
    executableArgs: options.executableArgs,
    execPath: host.execPath,
  });
  const { files, temporaryFiles } = writeFiles(options, host);
  const resume = conversationOf(request);
  const args = dialectArguments(options, { files, ...(resume === undefined ? {} : { resume }) });
  return {
    plan: {
      command: cli.command,
      args: [...cli.prefixArgs, ...args],
      cwd: resolve(host.cwd, options.cwd ?? ''),
      env,
      mark,
      temporaryFiles,
      keepDescendants: options.keepDescendants === true,
      stderrTailBytes,
    },
    initialize: dialectPayload(options, resume),
    dialect: options.dialect ?? 'auto',
  };
}

/** The options with what was changed at run time, for which bypass needs its second key just the same (R93). */
function effectiveOptions({ options, settings, host }: LaunchRequest): SessionOptions {
  const effective: SessionOptions = {
    ...options,
    ...(settings?.model === undefined ? {} : { model: settings.model }),
    // The CLI accepted the mode before it got here, so a name that this version does not know is right all the same.
    ...(settings?.permissionMode === undefined ? {} : { permissionMode: settings.permissionMode as PermissionMode }),
    ...(options.configDir === undefined ? {} : { configDir: resolve(host.cwd, options.configDir) }),
  };
  if (isUnconfirmedBypass(effective)) throw invalidOptions([UNCONFIRMED_BYPASS]);
  return effective;
}

/** The first process follows the options. A conversation that is not kept cannot be resumed (WIRE §12). */
function conversationOf({ options, incarnation, resume }: LaunchRequest): string | undefined {
  return incarnation >= 2 && options.persistSession !== false ? resume : undefined;
}

function writeFiles(
  options: SessionOptions,
  { folderPrefix, cwd, env }: LaunchHost,
): { files: LaunchFiles; temporaryFiles: readonly string[] } {
  const servers = mcpDocument(options);
  const settings = settingsDocument(options);
  const wanted: PrivateFile[] = [
    ...(servers?.needsFile ? [{ name: 'mcp-config.json', content: servers.text }] : []),
    ...(settings === undefined ? [] : [{ name: 'settings.json', content: JSON.stringify(settings) }]),
  ];
  if (wanted.length === 0) return { files: {}, temporaryFiles: [] };
  const temporaryFiles = writePrivateFiles(resolve(cwd, env['TMPDIR'] || tmpdir()), wanted, folderPrefix);
  const pathOf = (name: string) => temporaryFiles[wanted.findIndex((file) => file.name === name)];
  const [mcpConfig, settingsFile] = [pathOf('mcp-config.json'), pathOf('settings.json')];
  return {
    files: {
      ...(mcpConfig === undefined ? {} : { mcpConfig }),
      ...(settingsFile === undefined ? {} : { settings: settingsFile }),
    },
    temporaryFiles,
  };
}
