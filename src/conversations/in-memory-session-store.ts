import type { SessionKey, SessionStore, SessionStoreEntry, SessionSummaryEntry } from './session-store.ts';
import { foldSessionSummary } from './session-summary.ts';

/** A `SessionStore` in memory, for tests and development: everything is gone with the process. */
export class InMemorySessionStore implements SessionStore {
  readonly #transcripts = new Map<string, { key: SessionKey; entries: SessionStoreEntry[]; uuids: Set<string> }>();
  readonly #mtimes = new Map<string, number>();
  readonly #summaries = new Map<string, { projectKey: string; summary: SessionSummaryEntry }>();
  #lastMtime = 0;

  async append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void> {
    const place = placeOf(key);
    const transcript = this.#transcripts.get(place) ?? { key: { ...key }, entries: [], uuids: new Set<string>() };
    const isFresh = ({ uuid }: SessionStoreEntry) => {
      if (uuid === undefined) return true;
      const isNew = !transcript.uuids.has(uuid);
      transcript.uuids.add(uuid);
      return isNew;
    };
    // What the caller changes later must not change what was stored.
    const added = structuredClone(entries.filter(isFresh));
    transcript.entries.push(...added);
    this.#transcripts.set(place, transcript);
    // Two appends within one millisecond still have an order.
    this.#lastMtime = Math.max(Date.now(), this.#lastMtime + 1);
    this.#mtimes.set(place, this.#lastMtime);
    if (key.subpath !== undefined) return;
    const former = this.#summaries.get(place)?.summary;
    const summary = foldSessionSummary(former, key, added, { mtime: this.#lastMtime });
    this.#summaries.set(place, { projectKey: key.projectKey, summary });
  }

  async load(key: SessionKey): Promise<SessionStoreEntry[] | null> {
    const transcript = this.#transcripts.get(placeOf(key));
    return transcript === undefined ? null : structuredClone(transcript.entries);
  }

  async listSessions(projectKey: string): Promise<Array<{ sessionId: string; mtime: number }>> {
    return [...this.#transcripts].flatMap(([place, { key }]) =>
      key.projectKey === projectKey && key.subpath === undefined
        ? [{ sessionId: key.sessionId, mtime: this.#mtimes.get(place) ?? 0 }]
        : [],
    );
  }

  async listSessionSummaries(projectKey: string): Promise<SessionSummaryEntry[]> {
    return [...this.#summaries.values()].flatMap((it) =>
      it.projectKey === projectKey ? [structuredClone(it.summary)] : [],
    );
  }

  async delete(key: SessionKey): Promise<void> {
    for (const [place, { key: one }] of this.#transcripts) {
      const isHit = one.projectKey === key.projectKey && one.sessionId === key.sessionId;
      if (!isHit || (key.subpath !== undefined && one.subpath !== key.subpath)) continue;
      this.#transcripts.delete(place);
      this.#mtimes.delete(place);
      this.#summaries.delete(place);
    }
  }

  async listSubkeys(key: { projectKey: string; sessionId: string }): Promise<string[]> {
    return [...this.#transcripts.values()].flatMap(({ key: one }) =>
      one.projectKey === key.projectKey && one.sessionId === key.sessionId && one.subpath !== undefined
        ? [one.subpath]
        : [],
    );
  }

  /** For tests: the lines of one transcript, empty when there are none. */
  getEntries(key: SessionKey): SessionStoreEntry[] {
    return structuredClone(this.#transcripts.get(placeOf(key))?.entries ?? []);
  }

  /** For tests: how many conversations there are; subagents do not count. */
  get size(): number {
    return [...this.#transcripts.values()].filter(({ key }) => key.subpath === undefined).length;
  }

  /** For tests: forgets everything. */
  clear(): void {
    this.#transcripts.clear();
    this.#mtimes.clear();
    this.#summaries.clear();
  }
}

/** No part of a key can run into the next, whatever characters it has. */
function placeOf({ projectKey, sessionId, subpath }: SessionKey): string {
  return JSON.stringify([projectKey, sessionId, subpath ?? null]);
}
