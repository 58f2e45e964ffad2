import { z } from 'zod';
import { TroupeError } from '../errors.ts';
import * as answers from '../wire/control-answers.ts';
import { ModelName, ModeName, parseCall } from './call-options.ts';
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
const ReadFileCall = z.strictObject({
  maxBytes: z.int().min(1).optional(),
  encoding: z.enum(['utf-8', 'base64']).optional(),
});
const ContextCall = z.strictObject({ detail: z.enum(['summary', 'full']).optional() });
const RewindCall = z.strictObject({ dryRun: z.boolean().optional() });
const RepoRootCall = z.strictObject({
  reloadClaudeMd: z.boolean().optional(),
  reloadPlugins: z.boolean().optional(),
  reloadSkills: z.boolean().optional(),
});
const PluginsCall = z.strictObject({
  holdOnCacheImpact: z.boolean().optional(),
  addPlugins: z.array(Data).optional(),
  refuseIfBusy: z.boolean().optional(),
});
const UsageCall = z.strictObject({ skipBehaviors: z.boolean().optional() });

/**
 * The control requests of WIRE §9 and the official SDK as typed methods, with its names. Each rejects with INVALID_OPTIONS
 * for a wrong argument, CONTROL_REFUSED when the CLI says no, CONTROL_UNSUPPORTED when this release does not know the
 * request, CONTROL_ANSWER_INVALID, CONTROL_TIMEOUT, CONTROL_LIMIT, NO_PROCESS or SESSION_CLOSED.
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
  /** True when a process is there to be asked; without one a change waits for the next start. */
  protected abstract reach(): Promise<boolean>;
  /** The start option that is the second key to `bypassPermissions` (R93). */
  protected abstract readonly mayBypass: boolean;
  /** The answer of the present process to `initialize`, waited for if it is still to come. */
  protected abstract initialized(): Promise<Readonly<Record<string, unknown>>>;
  protected abstract changed(setting: string): void;

  /** Changes the model from the next turn on; undefined resets it. Kept over restarts, and for a start still to come. */
  async setModel(model?: string): Promise<void> {
    const name = parseCall(ModelName, model, 'model');
    await this.#change('set_model', name === undefined ? {} : { model: name });
    this.settings.model = name ?? null;
    this.changed('model');
  }

  /** Changes the permission mode at once. Kept over restarts, and for a start still to come. */
  async setPermissionMode(mode: string): Promise<void> {
    const name = parseCall(ModeName, mode, 'mode');
    if (name === 'bypassPermissions' && !this.mayBypass) {
      const reason = '"mode": bypassPermissions needs the option allowDangerouslySkipPermissions at the start.';
      throw new TroupeError('INVALID_OPTIONS', { reason, details: { field: 'mode' } });
    }
    await this.#change('set_permission_mode', { mode: name });
    this.settings.permissionMode = name;
    this.changed('permissionMode');
  }

  /** Tokens the model may think from the next request on; 0 for none, null for the CLI's own. Kept over restarts. */
  async setMaxThinkingTokens(
    maxThinkingTokens: number | null,
    thinkingDisplay?: 'summarized' | 'omitted' | 'highlights' | null,
  ): Promise<void> {
    const display = parseCall(Display, thinkingDisplay, 'thinkingDisplay');
    const thinking = {
      maxThinkingTokens: parseCall(Thinking, maxThinkingTokens, 'maxThinkingTokens'),
      ...(display === undefined ? {} : { thinkingDisplay: display }),
    };
    await this.#change('set_max_thinking_tokens', thinkingPayload(thinking));
    this.settings.thinking = thinking;
    this.changed('thinking');
  }

  /** Merges settings as if they had been given at the start; null resets one. Kept over restarts. */
  async applyFlagSettings(settings: Readonly<Record<string, unknown>>): Promise<void> {
    const given = parseCall(Data, settings, 'settings');
    await this.#change('apply_flag_settings', { settings: given });
    for (const [name, value] of Object.entries(given)) this.settings.flagSettings.set(name, value);
    this.changed('flagSettings');
  }

  /** Writes settings into a settings file of this machine. Needs that source among `settingSources`. */
  async updateSettings(
    source: 'localSettings' | 'userSettings',
    settings: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const from = parseCall(z.enum(['localSettings', 'userSettings']), source, 'source');
    await this.control('update_settings', { source: from, settings: parseCall(Data, settings, 'settings') });
  }

  /** The settings in force, and where each comes from. */
  getSettings() {
    return this.#ask('get_settings', {}, answers.SettingsAnswerSchema);
  }

  /** The CLI's answer to `initialize`: commands, agents, models, account. Waits for a start in progress. */
  async initializationResult(): Promise<answers.InitializeAnswer> {
    return answers.readAnswer(answers.InitializeAnswerSchema, 'initialize', await this.initialized());
  }

  async supportedCommands(): Promise<answers.SlashCommand[]> {
    return (await this.initializationResult()).commands;
  }

  async supportedModels(): Promise<answers.ModelInfo[]> {
    return (await this.initializationResult()).models;
  }

  async supportedAgents(): Promise<answers.AgentInfo[]> {
    return (await this.initializationResult()).agents;
  }

  async accountInfo(): Promise<answers.AccountInfo> {
    return (await this.initializationResult()).account;
  }

  /** The models the CLI offers now. */
  async listModels(): Promise<answers.ModelInfo[]> {
    return (await this.#ask('list_models', {}, answers.ModelListSchema)).models;
  }

  /** The MCP servers as the CLI sees them; right after the start it may name none yet (WIRE §9). */
  async mcpServerStatus(): Promise<answers.McpServerStatus[]> {
    return (await this.#ask('mcp_status', {}, answers.McpStatusSchema)).mcpServers;
  }

  async reconnectMcpServer(serverName: string): Promise<void> {
    await this.control('mcp_reconnect', { serverName: parseCall(Name, serverName, 'serverName') });
  }

  /** Switches an MCP server on or off. Kept over restarts. */
  async toggleMcpServer(serverName: string, enabled: boolean): Promise<void> {
    const name = parseCall(Name, serverName, 'serverName');
    const isOn = parseCall(z.boolean(), enabled, 'enabled');
    await this.#change('mcp_toggle', { serverName: name, enabled: isOn });
    this.settings.toggledServers.set(name, isOn);
    this.changed('toggledServers');
  }

  /** Overrides the permission mode for the tools of one server; null takes the override away. Kept over restarts. */
  async setMcpPermissionModeOverride(
    serverName: string,
    mode: 'default' | 'auto' | null,
  ): Promise<{ warning?: string }> {
    const name = parseCall(Name, serverName, 'serverName');
    const override = parseCall(z.enum(['default', 'auto']).nullable(), mode, 'mode');
    const answer = await this.#change('set_mcp_permission_mode_override', { serverName: name, mode: override });
    if (override === null) this.settings.serverModes.delete(name);
    else this.settings.serverModes.set(name, override);
    this.changed('serverModes');
    const warning = answer?.['warning'];
    return typeof warning === 'string' ? { warning } : {};
  }

  readMcpResource(serverName: string, uri: string) {
    const payload = { serverName: parseCall(Name, serverName, 'serverName'), uri: parseCall(Path, uri, 'uri') };
    return this.#ask('mcp_read_resource', payload, answers.ResourceSchema);
  }

  /** Calls a tool of an MCP server by its full name, past the model. */
  mcpCall(tool: string, args: Readonly<Record<string, unknown>> = {}, options: ControlOptions = {}) {
    const payload = { tool: parseCall(Name, tool, 'tool'), arguments: parseCall(Data, args, 'args') };
    return this.control('mcp_call', payload, options);
  }

  /** What fills the context window. The full detail costs the CLI some 25 requests that count tokens (WIRE §9). */
  getContextUsage(options: { detail?: 'summary' | 'full' } = {}) {
    const { detail } = parseCall(ContextCall, options, 'options');
    return this.#ask('get_context_usage', detail === undefined ? {} : { detail }, answers.ContextUsageSchema);
  }

  /** The CLI's own count of money, tokens and rate limits. */
  getUsage(options: { skipBehaviors?: boolean } = {}) {
    const { skipBehaviors } = parseCall(UsageCall, options, 'options');
    const payload = skipBehaviors === undefined ? {} : { skip_behaviors: skipBehaviors };
    return this.#ask('get_usage', payload, answers.UsageAnswerSchema);
  }

  /** The CLI's cost summary, as text for people. */
  async getSessionCost(): Promise<string> {
    return (await this.#ask('get_session_cost', {}, answers.SessionCostSchema)).text;
  }

  async listPermissionRules() {
    return (await this.#ask('list_permission_rules', {}, answers.PermissionRulesSchema)).state;
  }

  getBinaryVersion() {
    return this.#ask('get_binary_version', {}, answers.BinaryVersionSchema);
  }

  getHooksListing() {
    return this.#ask('get_hooks_listing', {}, answers.HooksListingSchema);
  }

  /** What a background shell has printed so far. */
  getTaskOutput(taskId: string) {
    return this.#ask('get_task_output', { task_id: parseCall(Name, taskId, 'taskId') }, answers.TaskOutputSchema);
  }

  async fileSuggestions(query: string): Promise<readonly unknown[]> {
    const payload = { query: parseCall(z.string().max(10_000), query, 'query') };
    return (await this.#ask('file_suggestions', payload, answers.FileSuggestionsSchema)).suggestions;
  }

  /** A file as the session sees it; null when it cannot be read. */
  async readFile(path: string, options: { maxBytes?: number; encoding?: 'utf-8' | 'base64' } = {}) {
    const { maxBytes, encoding } = parseCall(ReadFileCall, options, 'options');
    const payload = {
      path: parseCall(Path, path, 'path'),
      ...(maxBytes === undefined ? {} : { max_bytes: maxBytes }),
      ...(encoding === undefined ? {} : { encoding }),
    };
    try {
      return await this.#ask('read_file', payload, answers.FileContentSchema);
    } catch (error) {
      if (TroupeError.is(error) && error.code === 'CONTROL_REFUSED') return null;
      throw error;
    }
  }

  /** Tells the CLI of a repository that was cloned while it ran. */
  async registerRepoRoot(
    directory: string,
    options: { reloadClaudeMd?: boolean; reloadPlugins?: boolean; reloadSkills?: boolean } = {},
  ): Promise<void> {
    const { reloadClaudeMd, reloadPlugins, reloadSkills } = parseCall(RepoRootCall, options, 'options');
    await this.control('register_repo_root', {
      directory: parseCall(Path, directory, 'directory'),
      ...(reloadClaudeMd === undefined ? {} : { reload_claude_md: reloadClaudeMd }),
      ...(reloadPlugins === undefined ? {} : { reload_plugins: reloadPlugins }),
      ...(reloadSkills === undefined ? {} : { reload_skills: reloadSkills }),
    });
  }

  reloadPlugins(
    options: { holdOnCacheImpact?: boolean; addPlugins?: Record<string, unknown>[]; refuseIfBusy?: boolean } = {},
  ) {
    const { holdOnCacheImpact, addPlugins, refuseIfBusy } = parseCall(PluginsCall, options, 'options');
    const payload = {
      ...(holdOnCacheImpact === undefined ? {} : { hold_on_cache_impact: holdOnCacheImpact }),
      ...(addPlugins === undefined ? {} : { add_plugins: addPlugins }),
      ...(refuseIfBusy === undefined ? {} : { refuse_if_busy: refuseIfBusy }),
    };
    return this.#ask('reload_plugins', payload, answers.PluginsSchema);
  }

  reloadSkills() {
    return this.#ask('reload_skills', {}, answers.SkillsSchema);
  }

  reloadOutputStyles() {
    return this.#ask('reload_output_styles', {}, answers.OutputStylesSchema);
  }

  /** Gives the conversation a title. */
  async rename(title: string): Promise<void> {
    await this.control('rename_session', { title: parseCall(Name, title, 'title') });
  }

  /**
   * Puts files back to what they were before a message. Needs the option `enableFileCheckpointing`. A dry run tells what
   * would change; `canRewind` false comes with the reason.
   */
  rewindFiles(userMessageId: string, options: { dryRun?: boolean } = {}) {
    const { dryRun } = parseCall(RewindCall, options, 'options');
    const payload = {
      user_message_id: parseCall(Name, userMessageId, 'userMessageId'),
      ...(dryRun === undefined ? {} : { dry_run: dryRun }),
    };
    return this.#ask('rewind_files', payload, answers.RewindSchema);
  }

  /** Makes the CLI believe it has read a file as it was at `mtime`, in milliseconds since 1970. */
  async seedReadState(path: string, mtime: number): Promise<void> {
    const payload = { path: parseCall(Path, path, 'path'), mtime: parseCall(z.number().min(0), mtime, 'mtime') };
    await this.control('seed_read_state', payload);
  }

  /** Ends a background task. An unknown id is no error: it may have just ended (WIRE §9). */
  async stopTask(taskId: string): Promise<void> {
    await this.control('stop_task', { task_id: parseCall(Name, taskId, 'taskId') });
  }

  /** Sends running tools to the background, or the one named. False when there was none. */
  async backgroundTasks(toolUseId?: string): Promise<boolean> {
    const id = parseCall(Name.optional(), toolUseId, 'toolUseId');
    const payload = id === undefined ? {} : { tool_use_id: id };
    return (await this.#ask('background_tasks', payload, answers.BackgroundedSchema)).backgrounded ?? true;
  }

  /** Tells the CLI whether anybody watches. */
  async setHasSubscribers(hasSubscribers: boolean | null): Promise<void> {
    const value = parseCall(z.boolean().nullable(), hasSubscribers, 'hasSubscribers');
    await this.control('set_has_subscribers', { has_subscribers: value });
  }

  async #ask<T extends z.ZodType>(subtype: string, payload: Record<string, unknown>, schema: T): Promise<z.infer<T>> {
    return answers.readAnswer(schema, subtype, await this.control(subtype, payload));
  }

  /** A change that no process can hear yet is only remembered: the next one starts with it. */
  async #change(subtype: string, payload: Record<string, unknown>): Promise<Record<string, unknown> | undefined> {
    return (await this.reach()) ? this.control(subtype, payload) : undefined;
  }
}
