import type { FakeCli } from './fake-cli.ts';
import { initializePayload, systemFrame, userFrame } from './frames.ts';
import type { JsonObject } from './scenario.ts';

type Handler = (cli: FakeCli, id: string, request: JsonObject) => void;

const MODES = ['acceptEdits', 'auto', 'bypassPermissions', 'default', 'dontAsk', 'plan'];

/** Answers one control request of the host as the chosen release does (WIRE §8, §9). */
export function answerControl(cli: FakeCli, id: string, request: JsonObject): void {
  const handler = HANDLERS.get(String(request.subtype));
  if (handler !== undefined) {
    handler(cli, id, request);
    return;
  }
  const constant = CONSTANT_ANSWERS.get(String(request.subtype));
  if (constant !== undefined && cli.flavor.answersUnknownControls) cli.respond(id, constant);
  else if (cli.flavor.answersUnknownControls) {
    cli.respondError(id, `Unsupported control request subtype: ${String(request.subtype)}`, 'unsupported_request');
  }
}

/** Requests whose answers carry nothing the fake keeps; the old releases never answer them. */
const CONSTANT_ANSWERS: ReadonlyMap<string, JsonObject | undefined> = new Map<string, JsonObject>([
  ['get_context_usage', { categories: [], totalTokens: 0, maxTokens: 200_000, percentage: 0 }],
  ['list_models', { models: [] }],
  ['list_permission_rules', { state: { rules: [], workspaceDirectories: [], managedOnly: false } }],
  ['background_tasks', {}],
  ['stop_task', {}],
]);

const HANDLERS: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  ['initialize', initialize],
  ['interrupt', interrupt],
  ['end_session', endSession],
  ['set_model', setModel],
  ['set_permission_mode', setPermissionMode],
  ['set_max_thinking_tokens', setMaxThinkingTokens],
  ['get_settings', getSettings],
  ['get_usage', getUsage],
  ['get_session_cost', (cli, id) => cli.respond(id, { text: `Estimated cost: $${cli.turns.totalCostUsd}` })],
  ['get_binary_version', (cli, id) => cli.respond(id, { version: cli.flavor.version })],
  ['rename_session', renameSession],
  ['rewind_files', rewindFiles],
  ['cancel_async_message', cancelAsyncMessage],
  ['mcp_status', (cli, id) => cli.respond(id, { mcpServers: cli.mcp.status() })],
  ['mcp_set_servers', setServers],
  ['mcp_reconnect', refuseUnknownServer],
  ['mcp_toggle', refuseUnknownServer],
  ['mcp_message', hostMcpMessage],
]);

function initialize(cli: FakeCli, id: string, request: JsonObject): void {
  const isSecond = cli.isInitialized;
  if (isSecond && cli.flavor.secondInitialize === 'error') {
    cli.respondError(id, 'Already initialized');
    return;
  }
  if (isSecond && cli.flavor.secondInitialize === 'crash') {
    cli.fatal('TypeError: iterator helper missing');
    return;
  }
  cli.isInitialized = true;
  cli.hooks = (request.hooks ?? {}) as JsonObject;
  const manifests = (request.sdkMcpServerManifests ?? {}) as JsonObject;
  for (const name of (request.sdkMcpServers ?? []) as string[]) {
    if (!cli.mcp.has(name))
      cli.mcp.add(name, cli.flavor.sdkServersStart, cli.flavor.describesItself && name in manifests);
  }
  cli.mcp.start('initialize');
  const extra = {
    ...(request.hooks === undefined ? {} : { hooks_applied: true }),
    ...(request.sdkMcpServerManifests === undefined ? {} : { sdk_mcp_manifests_parked: manifests }),
  };
  const facts = { permissionMode: cli.permissionMode, sessionState: cli.turns.state, extra };
  const pending = { pending_permission_requests: cli.own.pending('can_use_tool'), pending_user_dialog_requests: [] };
  cli.respond(id, initializePayload(cli.flavor, facts), cli.flavor.describesItself ? pending : {});
  if (isSecond && cli.flavor.secondInitialize === 'state') {
    cli.output.frame(systemFrame(cli.sessionId, 'background_tasks_changed', { tasks: [] }));
  }
}

function interrupt(cli: FakeCli, id: string, request: JsonObject): void {
  const cancelled = request.cancel_queued === true ? cli.turns.cancelQueued() : undefined;
  // The cancel lines of pending requests come before the answer, the aborted turn after it (WIRE §6, §8).
  void cli.turns.interrupt();
  const receipt = { still_queued: cli.turns.queuedUuids(), ...(cancelled === undefined ? {} : { cancelled }) };
  cli.respond(id, cli.flavor.interruptReceipt ? receipt : undefined);
}

function endSession(cli: FakeCli, id: string): void {
  const isBusy = cli.turns.current !== undefined;
  const aborted = cli.turns.interrupt();
  cli.respond(id);
  void aborted.then(() => cli.leave(isBusy ? 1 : 0, 'end_session'));
}

function setModel(cli: FakeCli, id: string, request: JsonObject): void {
  cli.model = typeof request.model === 'string' ? request.model : cli.flavor.model;
  if (!cli.flavor.hasTerminalReasons) {
    cli.respond(id);
    return;
  }
  if (cli.hasPrompted) {
    const text = `<local-command-stdout>Set model to \`${cli.model}\`</local-command-stdout>`;
    cli.output.frame(userFrame(cli.sessionId, text, { isReplay: true }));
  }
  cli.respond(id, { model: cli.model });
}

function setPermissionMode(cli: FakeCli, id: string, request: JsonObject): void {
  const mode = String(request.mode);
  if (cli.flavor.hasErrorCodes) {
    if (!MODES.includes(mode)) {
      cli.respondError(id, `Cannot set permission mode: must be one of ${MODES.join(', ')}`, 'invalid_mode');
      return;
    }
    if (mode === 'bypassPermissions' && !cli.launch.mayBypass) {
      const text = 'Cannot set permission mode to bypassPermissions because the session was not launched with it';
      cli.respondError(id, text, 'bypass_not_launched');
      return;
    }
  }
  cli.permissionMode = mode;
  cli.respond(id, { mode });
  if (cli.flavor.repeatsPermissionModeResponse) cli.respond(id);
  if (!cli.flavor.hasTerminalReasons) return;
  cli.output.frame(systemFrame(cli.sessionId, 'status', { status: null, permissionMode: mode }));
}

function setMaxThinkingTokens(cli: FakeCli, id: string, request: JsonObject): void {
  const tokens = request.max_thinking_tokens;
  if (tokens === null || Number.isInteger(tokens) || !cli.flavor.hasErrorCodes) cli.respond(id);
  else cli.respondError(id, 'set_max_thinking_tokens: max_thinking_tokens must be an integer or null');
}

function getSettings(cli: FakeCli, id: string): void {
  if (!cli.flavor.answersUnknownControls) return;
  cli.respond(id, { effective: {}, sources: [], applied: { model: cli.model, effort: 'medium' } });
}

function getUsage(cli: FakeCli, id: string): void {
  cli.respond(id, { session: { total_cost_usd: cli.turns.totalCostUsd, model_usage: {} } });
}

function renameSession(cli: FakeCli, id: string, request: JsonObject): void {
  cli.output.frame(systemFrame(cli.sessionId, 'session_title_changed', { title: request.title }));
  cli.respond(id);
}

function rewindFiles(cli: FakeCli, id: string, request: JsonObject): void {
  const isKnown = cli.memory.recall(String(request.user_message_id)) !== undefined;
  const hasCheckpoints = process.env.CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING === '1';
  const error = 'No file checkpoint found for this message.';
  if (isKnown && hasCheckpoints) {
    const dry = { canRewind: true, filesChanged: [], insertions: 0, deletions: 0 };
    cli.respond(id, request.dry_run === true ? dry : { canRewind: true, skippedLinks: [] });
  } else if (request.dry_run === true) cli.respond(id, { canRewind: false, error });
  else cli.respondError(id, error);
}

function cancelAsyncMessage(cli: FakeCli, id: string, request: JsonObject): void {
  const [uuid] = cli.turns.cancelQueued(String(request.message_uuid));
  cli.respond(id, uuid === undefined ? { cancelled: false } : { cancelled: true, message_uuid: uuid });
}

function setServers(cli: FakeCli, id: string, request: JsonObject): void {
  cli.respond(id, cli.mcp.replace(Object.keys((request.servers ?? {}) as JsonObject)));
  setImmediate(() => cli.mcp.start('initialize'));
}

function refuseUnknownServer(cli: FakeCli, id: string, request: JsonObject): void {
  const name = String(request.serverName);
  if (cli.mcp.has(name)) cli.respond(id, {});
  else cli.respondError(id, `Server not found: ${name}`);
}

function hostMcpMessage(cli: FakeCli, id: string, request: JsonObject): void {
  cli.respond(id, {});
  const message = request.message as JsonObject | undefined;
  if (message?.method === 'notifications/tools/list_changed') void cli.mcp.relist(String(request.server_name));
}
