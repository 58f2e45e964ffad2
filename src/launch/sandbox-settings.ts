import { isRecord } from '../wire/fields.ts';

type Settings = Readonly<Record<string, unknown>>;

/** Lists that only take away: those of both sides count. */
const COMBINED = new Set([
  'filesystem.denyRead',
  'filesystem.denyWrite',
  'network.deniedDomains',
  'credentials.files',
  'credentials.envVars',
]);

/** Objects whose parts belong together. */
const REPLACED_WHOLE = new Set(['ripgrep', 'network.tlsTerminate']);

/**
 * The option `sandbox` over the block of the same name in inline settings, as the official SDK lays it (seen with 0.3.332): what
 * the option sets counts, restrictions of both add up, and nothing in the settings undoes what the option asks for. With
 * `enabled: true` a machine without a sandbox is an error, unless one side says otherwise: commands must not run outside
 * it unseen.
 */
export function mergedSandbox(settings: unknown, option: Settings): Settings {
  const merged = laidOver(isRecord(settings) ? withoutUndoing(settings, option) : {}, option, '');
  const isUnsaid = option['enabled'] === true && merged['failIfUnavailable'] === undefined;
  return isUnsaid ? { ...merged, failIfUnavailable: true } : merged;
}

function laidOver(lower: Settings, upper: Settings, path: string): Settings {
  const entries = Object.entries(upper).map(([name, value]) => {
    const at = path === '' ? name : `${path}.${name}`;
    const former = lower[name];
    if (COMBINED.has(at) && Array.isArray(former) && Array.isArray(value)) {
      return [name, [...new Set([...former, ...value])]];
    }
    if (isRecord(former) && isRecord(value) && !REPLACED_WHOLE.has(at)) return [name, laidOver(former, value, at)];
    return [name, value];
  });
  return { ...lower, ...Object.fromEntries(entries) };
}

/** A file system that is not isolated, and a proxy of one's own, would switch off what the option lists. */
function withoutUndoing(settings: Settings, option: Settings): Settings {
  const { filesystem, network } = settings;
  const restricted = partOf(option, 'network');
  const limitsFiles = option['filesystem'] !== undefined || deniesFiles(partOf(option, 'credentials')['files']);
  const limitsNetwork =
    restricted['allowedDomains'] !== undefined ||
    isFilled(restricted['deniedDomains']) ||
    restricted['strictAllowlist'] === true;
  return {
    ...settings,
    ...(limitsFiles && isRecord(filesystem) && filesystem['disabled'] === true
      ? { filesystem: without(filesystem, ['disabled']) }
      : {}),
    ...(limitsNetwork && isRecord(network) ? { network: without(network, ['httpProxyPort', 'socksProxyPort']) } : {}),
  };
}

function partOf(settings: Settings, name: string): Settings {
  const part = settings[name];
  return isRecord(part) ? part : {};
}

function deniesFiles(files: unknown): boolean {
  return Array.isArray(files) && files.some((file) => isRecord(file) && file['mode'] === 'deny');
}

function isFilled(list: unknown): boolean {
  return Array.isArray(list) && list.length > 0;
}

function without(settings: Settings, names: readonly string[]): Settings {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !names.includes(name)));
}
