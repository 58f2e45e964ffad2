import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readProcessNow } from '../transport/process-table.ts';
import { parseRecord, stringOf } from '../wire/fields.ts';
import { sessionsIn } from './config-folder.ts';
import { isConversationId } from './conversation-id.ts';
import { readSmall } from './regular-file.ts';

const MOST_BYTES = 64 * 1024;
const ENTRY = /^(\d{1,10})\.json$/;

/**
 * Which process has which conversation open: the CLIs of a configuration folder say so in `sessions/<pid>.json` (WIRE
 * §12). One that was killed leaves its entry behind, and its pid may be somebody else's by now: pid and start time must
 * both fit. Where start times are unknown nothing is claimed to live.
 */
export async function liveProcesses(configDir: string): Promise<ReadonlyMap<string, number>> {
  const folder = sessionsIn({ configDir });
  const names = await readdir(folder).catch(() => []);
  const found = await Promise.all(
    names.filter((name) => ENTRY.test(name)).map((name) => readEntry(join(folder, name))),
  );
  return new Map(found.filter((entry) => entry !== undefined));
}

async function readEntry(path: string): Promise<[sessionId: string, pid: number] | undefined> {
  const entry = parseRecord((await readSmall(path, MOST_BYTES)) ?? '');
  const { pid, sessionId, procStart } = entry ?? {};
  if (typeof pid !== 'number' || !Number.isInteger(pid) || pid <= 0 || !isConversationId(sessionId)) return undefined;
  const running = readProcessNow(pid);
  if (running === undefined || running === 'unknown') return undefined;
  return running.startTime === stringOf(procStart) ? [sessionId, pid] : undefined;
}
