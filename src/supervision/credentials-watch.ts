import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../clock.ts';

const LOOK_EVERY_MS = 15_000;

/**
 * Resolves with the time when the file that holds the login was written anew. Only its time is looked at, never its content.
 * A login that is kept elsewhere, as in the keychain of macOS, is not noticed.
 */
export function nextLogin(configDir: string | undefined, clock: Clock, signal: AbortSignal): Promise<number> {
  const file = join(configDir ?? join(homedir(), '.claude'), '.credentials.json');
  return new Promise((resolve) => {
    let first: number | undefined;
    let timer: unknown;
    signal.addEventListener('abort', () => clock.clearTimeout(timer), { once: true });
    const look = async () => {
      const written = await writtenAt(file);
      if (signal.aborted) return;
      first ??= written;
      if (written !== first) resolve(clock.now());
      else timer = clock.setTimeout(() => void look(), LOOK_EVERY_MS);
    };
    void look();
  });
}

async function writtenAt(file: string): Promise<number> {
  const found = await stat(file).catch(() => undefined);
  return found?.mtimeMs ?? 0;
}
