import { constants } from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isRecord, parseRecord } from '../wire/fields.ts';

export interface ConfigSource {
  /** The configuration folder the session would have used. */
  readonly configDir: string;
  /** Where `.claude.json` lies: in it when `CLAUDE_CONFIG_DIR` is set, else in the home folder. */
  readonly stateDir: string;
}

const MOST_BYTES = 16 * 2 ** 20;
/** Installed in the other folder, so that a setting would name what is not here. */
const PLUGIN_SETTINGS = ['enabledPlugins', 'extraKnownMarketplaces', 'additionalMarketplaces'];
// Links are followed, because settings are often kept elsewhere; a FIFO must not be waited for.
const READ_SAFELY = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/**
 * Puts what a login and the user's settings consist of into another configuration folder, readable by this user alone
 * (0600). Without the refresh token: two holders of one would log each other out. What cannot be read is left out.
 */
export async function copyConfiguration({ configDir, stateDir }: ConfigSource, folder: string): Promise<void> {
  await copyFile(join(configDir, '.credentials.json'), join(folder, '.credentials.json'), withoutRefreshToken);
  await copyFile(join(stateDir, '.claude.json'), join(folder, '.claude.json'), (text) => text);
  await copyFile(join(configDir, 'settings.json'), join(folder, 'settings.json'), portableSettings);
}

async function copyFile(from: string, to: string, change: (text: string) => string): Promise<void> {
  const text = await readText(from);
  if (text !== undefined) await writeFile(to, change(text), { mode: 0o600 });
}

async function readText(path: string): Promise<string | undefined> {
  try {
    const file = await open(path, READ_SAFELY);
    try {
      const { size } = await file.stat();
      const isUsable = (await file.stat()).isFile() && size <= MOST_BYTES;
      return isUsable ? await file.readFile('utf8') : undefined;
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}

/** What does not parse is copied as it is: the CLI knows what it makes of it. */
function withoutRefreshToken(text: string): string {
  const credentials = parseRecord(text);
  if (credentials === undefined) return text;
  const { chatHistoryOauth: _other, ...kept } = credentials;
  const entries = Object.entries(kept).map(([name, login]) => {
    if (!isRecord(login)) return [name, login];
    const { refreshToken: _token, ...rest } = login;
    return [name, rest];
  });
  return JSON.stringify(Object.fromEntries(entries));
}

function portableSettings(text: string): string {
  const settings = parseRecord(text.replace(/^\ufeff/, ''));
  if (settings === undefined) return text;
  const entries = Object.entries(settings).filter(([name]) => !PLUGIN_SETTINGS.includes(name));
  const portable = Object.fromEntries(entries);
  if (isRecord(portable['env'])) {
    // It would send the CLI back to the folder this one stands in for.
    const { CLAUDE_CONFIG_DIR: _folder, ...env } = portable['env'];
    portable['env'] = env;
  }
  return JSON.stringify(portable);
}
