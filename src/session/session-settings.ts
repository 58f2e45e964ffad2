import { SparseMap } from '../sparse.ts';
import type { ControlOptions } from './session-controls.ts';

/** What was changed while the session ran; a new incarnation starts with it (P8). Undefined leaves the option as given. */
export interface RuntimeSettings {
  /** Null resets it to the CLI's own. */
  model: string | null | undefined;
  permissionMode: string | undefined;
  thinking: { readonly maxThinkingTokens: number | null; readonly thinkingDisplay?: string | null } | undefined;
  /** Settings of `applyFlagSettings`, the newest value of each. */
  readonly flagSettings: SparseMap<string, unknown>;
  /** MCP servers that were switched on or off. */
  readonly toggledServers: SparseMap<string, boolean>;
  readonly serverModes: SparseMap<string, 'default' | 'auto'>;
  /** Names of the MCP servers since they were set; undefined while those of the options rule. */
  mcpServers: readonly string[] | undefined;
  hasSubscribers: boolean | null | undefined;
}

type Ask = (subtype: string, payload: Record<string, unknown>, options?: ControlOptions) => Promise<unknown>;

export function freshSettings(): RuntimeSettings {
  return {
    model: undefined,
    permissionMode: undefined,
    thinking: undefined,
    flagSettings: new SparseMap(),
    toggledServers: new SparseMap(),
    serverModes: new SparseMap(),
    mcpServers: undefined,
    hasSubscribers: undefined,
  };
}

/** As JSON. The values of flag settings may be secrets, so only their names are shown (P11). */
export function shownSettings(settings: RuntimeSettings): Record<string, unknown> {
  return {
    model: settings.model,
    permissionMode: settings.permissionMode,
    thinking: settings.thinking,
    flagSettings: [...settings.flagSettings.keys()],
    toggledServers: Object.fromEntries(settings.toggledServers),
    serverModes: Object.fromEntries(settings.serverModes),
    mcpServers: settings.mcpServers,
    hasSubscribers: settings.hasSubscribers,
  };
}

/**
 * Asks a new process for what its flags cannot say: everything but model and mode, in the order in which a person would.
 * Empty when nothing was changed. Each promise may reject by itself; the others go on.
 */
export function replaySettings(settings: RuntimeSettings, ask: Ask): Promise<unknown>[] {
  const { thinking, flagSettings, toggledServers, serverModes, hasSubscribers } = settings;
  return [
    ...(thinking === undefined ? [] : [ask('set_max_thinking_tokens', thinkingPayload(thinking))]),
    ...(flagSettings.size === 0 ? [] : [ask('apply_flag_settings', { settings: Object.fromEntries(flagSettings) })]),
    ...[...toggledServers].map(([serverName, enabled]) => ask('mcp_toggle', { serverName, enabled })),
    ...[...serverModes].map(([serverName, mode]) => ask('set_mcp_permission_mode_override', { serverName, mode })),
    ...(hasSubscribers === undefined ? [] : [ask('set_has_subscribers', { has_subscribers: hasSubscribers })]),
  ];
}

export function thinkingPayload(thinking: NonNullable<RuntimeSettings['thinking']>): Record<string, unknown> {
  const { maxThinkingTokens, thinkingDisplay } = thinking;
  return {
    max_thinking_tokens: maxThinkingTokens,
    ...(thinkingDisplay === undefined ? {} : { thinking_display: thinkingDisplay }),
  };
}

/** No prompt goes out before the settings are back; one that cannot be restored is told, and the session goes on. */
export async function settledReplay(
  replayed: readonly Promise<unknown>[],
  tell: (detail: string) => void,
): Promise<void> {
  for (const outcome of await Promise.allSettled(replayed)) {
    if (outcome.status === 'fulfilled') continue;
    tell(outcome.reason instanceof Error ? outcome.reason.message : String(outcome.reason));
  }
}
