import { isAbsolute, relative, sep } from 'node:path';
import { isConversationId } from './conversation-id.ts';
import type { SessionKey } from './session-store.ts';

const SUFFIX = '.jsonl';

/** The key of a transcript in a store, from where the CLI writes it; undefined for anything outside `projects`. */
export function keyOfTranscript(path: string, projects: string): SessionKey | undefined {
  const way = relative(projects, path);
  const parts = way.split(sep);
  const [projectKey, name, ...rest] = parts;
  if (isAbsolute(way) || !way.endsWith(SUFFIX) || !projectKey || name === undefined || parts.includes('..'))
    return undefined;
  if (rest.length === 0) {
    const sessionId = name.slice(0, -SUFFIX.length);
    return isConversationId(sessionId) ? { projectKey, sessionId } : undefined;
  }
  if (!isConversationId(name) || rest.length < 2) return undefined;
  return { projectKey, sessionId: name, subpath: rest.join('/').slice(0, -SUFFIX.length) };
}
