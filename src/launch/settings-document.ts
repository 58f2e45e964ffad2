import { TroupeError } from '../errors.ts';
import { isRecord, parseRecord } from '../wire/fields.ts';
import { mergedSandbox } from './sandbox-settings.ts';
import type { SessionOptions } from './session-options.ts';
import { allowedToolsOf } from './skills.ts';
import { isLongRuleList, MAX_RULE_LIST_BYTES } from './tool-rule.ts';

type Settings = Readonly<Record<string, unknown>>;
type RuleOption = 'allowedTools' | 'disallowedTools';

/** True for settings given as JSON text, as opposed to a path or an object. */
export function isSettingsText(settings: SessionOptions['settings']): settings is string {
  return typeof settings === 'string' && settings.trimStart().startsWith('{');
}

/** The object that JSON text of settings holds, or undefined when it holds none. */
export function parseSettingsText(text: string): Settings | undefined {
  return parseRecord(text);
}

/**
 * The settings that go into a private file, since they may hold secrets (P11): an object, JSON text, and rule lists too
 * long for the command line, which the CLI obeys there just the same (R94). Undefined when there is nothing to write.
 * Throws ARGUMENTS_TOO_LARGE naming the list when `settings` is the path of somebody's own file, which is not touched.
 */
export function settingsDocument(options: SessionOptions): Settings | undefined {
  const { settings } = options;
  const given = withSandbox(isSettingsText(settings) ? parseSettingsText(settings) : settings, options.sandbox);
  const allowed = allowedToolsOf(options);
  const allow = isLongRuleList(allowed) ? allowed : undefined;
  const deny = isLongRuleList(options.disallowedTools) ? options.disallowedTools : undefined;
  if (allow === undefined && deny === undefined) return typeof given === 'string' ? undefined : given;
  if (typeof given === 'string') throw tooLarge(allow === undefined ? 'disallowedTools' : 'allowedTools');
  const permissions = isRecord(given?.['permissions']) ? given['permissions'] : {};
  return {
    ...given,
    permissions: { ...permissions, ...joined(permissions, 'allow', allow), ...joined(permissions, 'deny', deny) },
  };
}

function withSandbox(
  given: Settings | string | undefined,
  sandbox: SessionOptions['sandbox'],
): Settings | string | undefined {
  if (sandbox === undefined || typeof given === 'string') return given;
  return { ...given, sandbox: mergedSandbox(given?.['sandbox'], sandbox) };
}

function joined(permissions: Settings, name: string, rules: readonly string[] | undefined): Settings {
  if (rules === undefined) return {};
  const former: unknown = permissions[name];
  return { [name]: [...(Array.isArray(former) ? former : []), ...rules] };
}

function tooLarge(field: RuleOption): TroupeError {
  return new TroupeError('ARGUMENTS_TOO_LARGE', {
    reason: `${field} is longer than ${MAX_RULE_LIST_BYTES} bytes and cannot move to the settings file, because settings is the path of another one.`,
    details: { field, limitBytes: MAX_RULE_LIST_BYTES },
  });
}
