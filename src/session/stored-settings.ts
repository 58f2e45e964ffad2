import { isSecretName } from '../launch/secret-name.ts';
import type { Json } from '../store/store-record.ts';
import { isRecord, numberOf, stringOf, stringsOf } from '../wire/fields.ts';
import { freshSettings, type RuntimeSettings } from './session-settings.ts';
import { asJson, recordIn, textIn } from './stored-json.ts';

/**
 * What was changed while the session ran, as a store keeps it. A flag setting that may hold a secret, or holds what JSON cannot
 * say, is kept by its name alone: see `withheldSettingsOf`.
 */
export function storedSettingsOf(settings: RuntimeSettings): Json {
  const { model, permissionMode, thinking, flagSettings, toggledServers, serverModes, hasSubscribers } = settings;
  const flags = [...flagSettings].filter(([name, value]) => !mayHoldSecret(name, value));
  return asJson({
    ...(model === undefined ? {} : { model }),
    ...(permissionMode === undefined ? {} : { permissionMode }),
    ...(thinking === undefined ? {} : { thinking }),
    ...(flags.length === 0 ? {} : { flagSettings: Object.fromEntries(flags) }),
    ...(toggledServers.size === 0 ? {} : { toggledServers: Object.fromEntries(toggledServers) }),
    ...(serverModes.size === 0 ? {} : { serverModes: Object.fromEntries(serverModes) }),
    ...(settings.mcpServers === undefined ? {} : { mcpServers: settings.mcpServers }),
    ...(hasSubscribers === undefined ? {} : { hasSubscribers }),
  });
}

/** The settings of a session that a store does not keep, by path. */
export function withheldSettingsOf({ flagSettings }: RuntimeSettings): readonly string[] {
  return [...flagSettings].flatMap(([name, value]) => (mayHoldSecret(name, value) ? [`settings.${name}`] : []));
}

export function settingsOfStored(stored: unknown): RuntimeSettings {
  const settings = freshSettings();
  if (!isRecord(stored)) return settings;
  const { model, hasSubscribers, mcpServers } = stored;
  settings.model = model === null ? null : stringOf(model);
  settings.permissionMode = textIn(stored, 'permissionMode');
  settings.thinking = thinkingIn(stored);
  if (typeof hasSubscribers === 'boolean' || hasSubscribers === null) settings.hasSubscribers = hasSubscribers;
  if (Array.isArray(mcpServers)) settings.mcpServers = stringsOf(mcpServers);
  for (const [name, value] of Object.entries(recordIn(stored, 'flagSettings') ?? {})) {
    settings.flagSettings.set(name, value);
  }
  for (const [name, isOn] of Object.entries(recordIn(stored, 'toggledServers') ?? {})) {
    if (typeof isOn === 'boolean') settings.toggledServers.set(name, isOn);
  }
  for (const [name, mode] of Object.entries(recordIn(stored, 'serverModes') ?? {})) {
    if (mode === 'default' || mode === 'auto') settings.serverModes.set(name, mode);
  }
  return settings;
}

function thinkingIn(stored: unknown): RuntimeSettings['thinking'] {
  const thinking = recordIn(stored, 'thinking');
  if (thinking === undefined) return undefined;
  const { thinkingDisplay } = thinking;
  return {
    maxThinkingTokens: numberOf(thinking['maxThinkingTokens']) ?? null,
    ...(typeof thinkingDisplay === 'string' || thinkingDisplay === null ? { thinkingDisplay } : {}),
  };
}

function mayHoldSecret(name: string, value: unknown): boolean {
  if (name === 'env' || name === 'headers') return true;
  if (isSecretName(name)) return typeof value !== 'boolean';
  if (typeof value === 'function') return true;
  return isRecord(value) && Object.entries(value).some(([inner, item]) => mayHoldSecret(inner, item));
}
