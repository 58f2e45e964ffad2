import { z } from 'zod';
import { TroupeError } from '../errors.ts';
import type { McpServersOption } from '../launch/mcp-server-options.ts';
import { parseMcpServers } from '../launch/mcp-servers-schema.ts';
import type { McpSetServersResult, ServerSet } from '../mcp/server-set.ts';
import * as answers from '../wire/control-answers.ts';
import { ControlCall, ModelName, ModeName, parseCall } from './call-options.ts';
import { changeServers } from './server-change.ts';
import { type RuntimeSettings, thinkingPayload } from './session-settings.ts';

/** How long one request may take, and how to give it up. */
export interface ControlOptions {
  /** Milliseconds. Default: `timeouts.controlMs`. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

const Name = z.string().min(1).max(1_000);
const Path = z.string().min(1).max(100_000);
const Data = z.record(z.string(), z.unknown());
const Thinking = z.int().min(0).nullable();
const Display = z.enum(['summarized', 'omitted', 'highlights']).nullable().optional();
const flag = z.boolean().optional();
const ReadFileCall = ControlCall.extend({
  maxBytes: z.int().min(1).optional(),
  encoding: z.enum(['utf-8', 'base64']).optional(),
});
const ContextCall = ControlCall.extend({ detail: z.enum(['summary', 'full']).optional() });
const RewindCall = ControlCall.extend({ dryRun: flag });
const RepoRootCall = ControlCall.extend({ reloadClaudeMd: flag, reloadPlugins: flag, reloadSkills: flag });
const PluginsCall = ControlCall.extend({
  holdOnCacheImpact: flag,
  addPlugins: z.array(Data).optional(),
  refuseIfBusy: flag,
});
const UsageCall = ControlCall.extend({ skipBehaviors: flag });

/**
 * The control requests of WIRE §9 and the official SDK as typed methods, with its names; the last argument takes a deadline
 * and a signal. Each rejects with INVALID_OPTIONS for a wrong argument, CONTROL_REFUSED when the CLI says no,
 * CONTROL_UNSUPPORTED when this release does not know the request, CONTROL_ANSWER_INVALID, CONTROL_TIMEOUT, CONTROL_LIMIT,
 * ABORTED, NO_PROCESS or SESSION_CLOSED, or with the reason the process ended.
 */
export abstract class SessionControls {
  /** Sends any control request and resolves with the payload of the answer. */
  abstract control(
    subtype: string,
    payload?: Record<string, unknown>,
    options?: ControlOptions,
  ): Promise<Record<string, unknown>>;

  /** What was changed at run time. */
  protected abstract readonly settings: RuntimeSettings;
  protected abstract readonly servers: ServerSet;
  /** True when a process is there to be asked; without one a change waits for the next start. */
  protected abstract reach(options: ControlOptions): Promise<boolean>;
  /** The start option that is the second key to `bypassPermissions` (R93). */
  protected abstract readonly mayBypass: boolean;
  /** The answer of the present process to `initialize`, waited for if it is still to come. */
  protected abstract initialized(options: ControlOptions): Promise<Readonly<Record<string, unknown>>>;
  protected abstract changed(setting: string): void;

  /** Changes the model from the next turn on; undefined resets it. Kept over restarts, and for a start still to come. */
  async setModel(model?: string, options: ControlOptions = {}): Promise<void> {
    const name = parseCall(ModelName, model, 'model');
    await this.#change('set_model', name === undefined ? {} : { model: name }, options);
    this.settings.model = name ?? null;
    // For the CLI the last word counts, and as a flag setting the model would be said again after it.
    this.settings.flagSettings.delete('model');
    this.changed('model');
  }

  /**
   * Changes the permission mode at once, and resolves with the one now in effect, which need not be the one asked for.
   * Kept over restarts, and for a start still to come.
   */
  async setPermissionMode(mode: string, options: ControlOptions = {}): Promise<{ mode: string }> {
    const name = parseCall(ModeName, mode, 'mode');
    if (name === 'bypassPermissions' && !this.mayBypass) {
      const reason = '"mode": bypassPermissions needs the option allowDangerouslySkipPermissions at the start.';
      throw new TroupeError('INVALID_OPTIONS', { reason, details: { field: 'mode' } });
    }
    const answer = await this.#change('set_permission_mode', { mode: name }, options);
    const inEffect = typeof answer?.['mode'] === 'string' ? answer['mode'] : name;
    this.settings.permissionMode = inEffect;
    this.changed('permissionMode');
    return { mode: inEffect };
  }

  /** Tokens the model may think from the next request on; 0 for none, null for the CLI's own. Kept over restarts. */
  async setMaxThinkingTokens(
    maxThinkingTokens: number | null,
    thinkingDisplay?: 'summarized' | 'omitted' | 'highlights' | null,
    options: ControlOptions = {},
  ): Promise<void> {
    const display = parseCall(Display, thinkingDisplay, 'thinkingDisplay');
    const thinking = {
      maxThinkingTokens: parseCall(Thinking, maxThinkingTokens, 'maxThinkingTokens'),
      ...(display === undefined ? {} : { thinkingDisplay: display }),
    };
    await this.#change('set_max_thinking_tokens', thinkingPayload(thinking), options);
    this.settings.thinking = thinking;
    this.changed('thinking');
  }

  /** Merges settings as if they had been given at the start; null resets one. Kept over restarts. */
  async applyFlagSettings(settings: Readonly<Record<string, unknown>>, options: ControlOptions = {}): Promise<void> {
    const given = Object.entries(parseCall(Data, settings, 'settings')).filter(([, value]) => value !== undefined);
    await this.#change('apply_flag_settings', { settings: Object.fromEntries(given) }, options);
    for (const [name, value] of given) this.settings.flagSettings.set(name, value);
    this.changed('flagSettings');
  }

  /** Writes settings into a settings file of this machine. Needs that source among `settingSources`. */
  async updateSettings(
    source: 'localSettings' | 'userSettings',
    settings: Readonly<Record<string, unknown>>,
    options: ControlOptions = {},
  ): Promise<void> {
    const from = parseCall(z.enum(['localSettings', 'userSettings']), source, 'source');
    await this.control('update_settings', { source: from, settings: parseCall(Data, settings, 'settings') }, options);
  }

  /** The settings in force, and where each comes from. */
  getSettings(options: ControlOptions = {}) {
    return this.#ask('get_settings', {}, answers.SettingsAnswerSchema, options);
  }

  /** The CLI's answer to `initialize`: commands, agents, models, account. Waits for a start in progress. */
  async initializationResult(options: ControlOptions = {}): Promise<answers.InitializeAnswer> {
    return answers.readAnswer(answers.InitializeAnswerSchema, 'initialize', await this.initialized(options));
  }

  async supportedCommands(options: ControlOptions = {}): Promise<answers.SlashCommand[]> {
    return (await this.initializationResult(options)).commands;
  }

  async supportedModels(options: ControlOptions = {}): Promise<answers.ModelInfo[]> {
    return (await this.initializationResult(options)).models;
  }

  async supportedAgents(options: ControlOptions = {}): Promise<answers.AgentInfo[]> {
    return (await this.initializationResult(options)).agents;
  }

  async accountInfo(options: ControlOptions = {}): Promise<answers.AccountInfo> {
    return (await this.initializationResult(options)).account;
  }

  /** The models the CLI offers now. */
  async listModels(options: ControlOptions = {}): Promise<answers.ModelInfo[]> {
    return (await this.#ask('list_models', {}, answers.ModelListSchema, options)).models;
  }

  /** The MCP servers as the CLI sees them; right after the start it may name none yet (WIRE §9). */
  async mcpServerStatus(options: ControlOptions = {}): Promise<answers.McpServerStatus[]> {
    return (await this.#ask('mcp_status', {}, answers.McpStatusSchema, options)).mcpServers;
  }

  async reconnectMcpServer(serverName: string, options: ControlOptions = {}): Promise<void> {
    await this.control('mcp_reconnect', { serverName: parseCall(Name, serverName, 'serverName') }, options);
  }

  /** Switches an MCP server on or off. Kept over restarts. */
  async toggleMcpServer(serverName: string, enabled: boolean, options: ControlOptions = {}): Promise<void> {
    const name = parseCall(Name, serverName, 'serverName');
    const isOn = parseCall(z.boolean(), enabled, 'enabled');
    await this.#change('mcp_toggle', { serverName: name, enabled: isOn }, options);
    this.settings.toggledServers.set(name, isOn);
    this.changed('toggledServers');
  }

  /**
   * Replaces the MCP servers: all in-process ones, and those that an earlier call named. External servers of the options and
   * of settings stay. Kept over restarts, and for a start still to come. `errors` says which could not be connected; for a
   * `required` one the call rejects with MCP_SERVER_FAILED.
   */
  async setMcpServers(servers: McpServersOption, options: ControlOptions = {}): Promise<McpSetServersResult> {
    return changeServers(parseMcpServers(servers), {
      set: this.servers,
      reach: () => this.reach(options),
      ask: (entries) => this.control('mcp_set_servers', { servers: entries }, options),
      onChanged: () => {
        this.settings.mcpServers = Object.keys(this.servers.servers);
        this.changed('mcpServers');
      },
    });
  }

  /** Overrides the permission mode for the tools of one server; null takes the override away. Kept over restarts. */
  async setMcpPermissionModeOverride(
    serverName: string,
    mode: 'default' | 'auto' | null,
    options: ControlOptions = {},
  ): Promise<{ warning?: string }> {
    const name = parseCall(Name, serverName, 'serverName');
    const override = parseCall(z.enum(['default', 'auto']).nullable(), mode, 'mode');
    const payload = { serverName: name, mode: override };
    const answer = await this.#change('set_mcp_permission_mode_override', payload, options);
    if (override === null) this.settings.serverModes.delete(name);
    else this.settings.serverModes.set(name, override);
    this.changed('serverModes');
    const warning = answer?.['warning'];
    return typeof warning === 'string' ? { warning } : {};
  }

  /** Reads a resource of an MCP server. Measured: the CLI takes only `ui://` addresses. */
  async readMcpResource(serverName: string, uri: string, options: ControlOptions = {}) {
    const payload = { serverName: parseCall(Name, serverName, 'serverName'), uri: parseCall(Path, uri, 'uri') };
    return this.#ask('mcp_read_resource', payload, answers.ResourceSchema, options);
  }

  /** Calls a tool of an MCP server by its full name, past the model. */
  async mcpCall(tool: string, args: Readonly<Record<string, unknown>> = {}, options: ControlOptions = {}) {
    const payload = { tool: parseCall(Name, tool, 'tool'), arguments: parseCall(Data, args, 'args') };
    return this.control('mcp_call', payload, options);
  }

  /** What fills the context window. The full detail costs the CLI some 25 requests that count tokens (WIRE §9). */
  async getContextUsage(options: { detail?: 'summary' | 'full' } & ControlOptions = {}) {
    const { detail, ...call } = parseCall(ContextCall, options, 'options');
    return this.#ask('get_context_usage', defined({ detail }), answers.ContextUsageSchema, call);
  }

  /** The CLI's own count of money, tokens and rate limits. */
  async getUsage(options: { skipBehaviors?: boolean } & ControlOptions = {}) {
    const { skipBehaviors, ...call } = parseCall(UsageCall, options, 'options');
    return this.#ask('get_usage', defined({ skip_behaviors: skipBehaviors }), answers.UsageAnswerSchema, call);
  }

  /** The CLI's cost summary, as text for people. */
  async getSessionCost(options: ControlOptions = {}): Promise<string> {
    return (await this.#ask('get_session_cost', {}, answers.SessionCostSchema, options)).text;
  }

  async listPermissionRules(options: ControlOptions = {}) {
    return (await this.#ask('list_permission_rules', {}, answers.PermissionRulesSchema, options)).state;
  }

  async getBinaryVersion(options: ControlOptions = {}) {
    return this.#ask('get_binary_version', {}, answers.BinaryVersionSchema, options);
  }

  async getHooksListing(options: ControlOptions = {}) {
    return this.#ask('get_hooks_listing', {}, answers.HooksListingSchema, options);
  }

  /** The end of what a background shell has printed so far, at most 8 KiB; escape sequences come as they are. */
  async getTaskOutput(taskId: string, options: ControlOptions = {}) {
    const payload = { task_id: parseCall(Name, taskId, 'taskId') };
    return this.#ask('get_task_output', payload, answers.TaskOutputSchema, options);
  }

  /** The files of the session's folder that fit what somebody has typed of a path. */
  async fileSuggestions(query: string, options: ControlOptions = {}): Promise<readonly unknown[]> {
    const payload = { query: parseCall(z.string().max(10_000), query, 'query') };
    return (await this.#ask('file_suggestions', payload, answers.FileSuggestionsSchema, options)).suggestions;
  }

  /** A file as the session may see it; null when it may not, or when there is none. */
  async readFile(path: string, options: { maxBytes?: number; encoding?: 'utf-8' | 'base64' } & ControlOptions = {}) {
    const { maxBytes, encoding, ...call } = parseCall(ReadFileCall, options, 'options');
    const payload = { path: parseCall(Path, path, 'path'), ...defined({ max_bytes: maxBytes, encoding }) };
    try {
      return await this.#ask('read_file', payload, answers.FileContentSchema, call);
    } catch (error) {
      if (TroupeError.is(error) && error.code === 'CONTROL_REFUSED') return null;
      throw error;
    }
  }

  /** Tells the CLI of a repository that was cloned while it ran. */
  async registerRepoRoot(
    directory: string,
    options: { reloadClaudeMd?: boolean; reloadPlugins?: boolean; reloadSkills?: boolean } & ControlOptions = {},
  ): Promise<void> {
    const { reloadClaudeMd, reloadPlugins, reloadSkills, ...call } = parseCall(RepoRootCall, options, 'options');
    const reloads = { reload_claude_md: reloadClaudeMd, reload_plugins: reloadPlugins, reload_skills: reloadSkills };
    const payload = { directory: parseCall(Path, directory, 'directory'), ...defined(reloads) };
    await this.control('register_repo_root', payload, call);
  }

  /**
   * Reads the plugins from disk again, and the added ones too, by absolute paths. `holdOnCacheImpact` applies nothing where
   * that would cost the prompt cache; `refuseIfBusy` rejects while the session works, where the release knows it.
   */
  async reloadPlugins(
    options: {
      holdOnCacheImpact?: boolean;
      addPlugins?: Record<string, unknown>[];
      refuseIfBusy?: boolean;
    } & ControlOptions = {},
  ) {
    const { holdOnCacheImpact, addPlugins, refuseIfBusy, ...call } = parseCall(PluginsCall, options, 'options');
    const payload = { hold_on_cache_impact: holdOnCacheImpact, add_plugins: addPlugins, refuse_if_busy: refuseIfBusy };
    return this.#ask('reload_plugins', defined(payload), answers.PluginsSchema, call);
  }

  async reloadSkills(options: ControlOptions = {}) {
    return this.#ask('reload_skills', {}, answers.SkillsSchema, options);
  }

  async reloadOutputStyles(options: ControlOptions = {}) {
    return this.#ask('reload_output_styles', {}, answers.OutputStylesSchema, options);
  }

  /** Gives the conversation a title, as its user. */
  async rename(title: string, options: ControlOptions = {}): Promise<void> {
    await this.control('rename_session', { title: parseCall(Name, title, 'title'), source: 'host' }, options);
  }

  /** Gives the session a colour by name; `default` takes it away. No release measured takes it without a terminal. */
  async setColor(color: string, options: ControlOptions = {}): Promise<void> {
    await this.control('set_color', { color: parseCall(Name, color, 'color') }, options);
  }

  /**
   * Puts files back to what they were before a message. Needs the option `enableFileCheckpointing`. A dry run tells what
   * would change; `canRewind` false comes with the reason.
   */
  async rewindFiles(userMessageId: string, options: { dryRun?: boolean } & ControlOptions = {}) {
    const { dryRun, ...call } = parseCall(RewindCall, options, 'options');
    const id = parseCall(Name, userMessageId, 'userMessageId');
    return this.#ask(
      'rewind_files',
      { user_message_id: id, ...defined({ dry_run: dryRun }) },
      answers.RewindSchema,
      call,
    );
  }

  /** Makes the CLI believe it has read a file as it was at `mtime`, in milliseconds since 1970. */
  async seedReadState(path: string, mtime: number, options: ControlOptions = {}): Promise<void> {
    const at = Math.floor(parseCall(z.number().min(0), mtime, 'mtime'));
    await this.control('seed_read_state', { path: parseCall(Path, path, 'path'), mtime: at }, options);
  }

  /** Ends a background task. An unknown id is no error: it may have just ended (WIRE §9). */
  async stopTask(taskId: string, options: ControlOptions = {}): Promise<void> {
    await this.control('stop_task', { task_id: parseCall(Name, taskId, 'taskId') }, options);
  }

  /**
   * Sends running tools to the background: the one of this `tool_use` block, or all. False when the one that was named
   * does not run in the foreground.
   */
  async backgroundTasks(toolUseId?: string, options: ControlOptions = {}): Promise<boolean> {
    const payload = defined({ tool_use_id: parseCall(Name.optional(), toolUseId, 'toolUseId') });
    const { backgrounded } = await this.#ask('background_tasks', payload, answers.BackgroundedSchema, options);
    return backgrounded ?? true;
  }

  /** Tells the CLI whether anybody watches; null for "not known". Kept over restarts. */
  async setHasSubscribers(hasSubscribers: boolean | null, options: ControlOptions = {}): Promise<void> {
    const value = parseCall(z.boolean().nullable(), hasSubscribers, 'hasSubscribers');
    await this.#change('set_has_subscribers', { has_subscribers: value }, options);
    this.settings.hasSubscribers = value;
    this.changed('hasSubscribers');
  }

  async #ask<T extends z.ZodType>(
    subtype: string,
    payload: Record<string, unknown>,
    schema: T,
    options: ControlOptions,
  ): Promise<z.infer<T>> {
    return answers.readAnswer(schema, subtype, await this.control(subtype, payload, options));
  }

  /** A change that no process can hear yet is only remembered: the next one starts with it. */
  async #change(
    subtype: string,
    payload: Record<string, unknown>,
    options: ControlOptions,
  ): Promise<Record<string, unknown> | undefined> {
    return (await this.reach(options)) ? this.control(subtype, payload, options) : undefined;
  }
}

/** Without the fields that were not given: for the CLI an absent field is not a null one. */
function defined(payload: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(payload).filter(([, value]) => value !== undefined));
}
