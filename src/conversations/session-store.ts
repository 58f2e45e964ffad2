/** Where a transcript lives in a store. Names and shapes as in the official TypeScript SDK. */
export type SessionKey = {
  /** Scope of the conversation. Troupe uses the CLI's own: `projectKey` of the working directory. */
  projectKey: string;
  /** UUID of the conversation. */
  sessionId: string;
  /** Absent for the transcript itself; `subagents/agent-<id>` for that of a subagent. Never empty. */
  subpath?: string;
};

/** One transcript line. Opaque JSON, except for what is named here; most lines have a `uuid`. */
export type SessionStoreEntry = {
  type: string;
  uuid?: string;
  /** ISO 8601. */
  timestamp?: string;
  [field: string]: unknown;
};

/** What `foldSessionSummary` knows of one conversation. Stores keep it as it is. */
export type SessionSummaryEntry = {
  sessionId: string;
  /** When the store wrote it, in whole epoch milliseconds, by the clock that also makes the `mtime` of `listSessions`. */
  mtime: number;
  /** Opaque to the store. */
  data: Record<string, unknown>;
};

/** `batched`: appended about every 100 ms and before each result. `eager`: each batch of the CLI at once, uncombined. */
export type SessionStoreFlush = 'batched' | 'eager';

/**
 * A place outside this machine for transcripts. The CLI still writes its own file first; the store gets a copy, best
 * effort: three attempts, then `mirror_error`. `sessionStoreConformance` of `troupe/testing` checks an implementation.
 */
export type SessionStore = {
  /**
   * Adds lines, in call order. A line whose `uuid` is there already may come again (a repeated attempt, an import) and
   * should be kept once; lines without `uuid` are always added.
   */
  append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void>;
  /** All lines in order, deep-equal to what was appended; null when there never were any. */
  load(key: SessionKey): Promise<SessionStoreEntry[] | null>;
  /** The conversations of a project, in any order; `mtime` in whole epoch milliseconds. Needed by `continue` and listing. */
  listSessions?(projectKey: string): Promise<Array<{ sessionId: string; mtime: number }>>;
  /** The summaries of a project, kept up to date inside `append` by `foldSessionSummary`: listing then loads nothing. */
  listSessionSummaries?(projectKey: string): Promise<SessionSummaryEntry[]>;
  /** Removes a transcript; without `subpath` those of its subagents, too. Absent: deleting does nothing. */
  delete?(key: SessionKey): Promise<void>;
  /** The subpaths of a conversation. Absent: a resume brings back no subagents. */
  listSubkeys?(key: { projectKey: string; sessionId: string }): Promise<string[]>;
};
