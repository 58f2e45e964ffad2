import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import type { Store, StoredEvent } from '../../../src/store/store.ts';
import type { SessionRecord } from '../../../src/store/store-record.ts';

export const SESSION: SessionRecord = {
  kind: 'session',
  state: 'hibernated',
  options: { cwd: '/somewhere' },
  settings: {},
  conversationIds: ['c1'],
  restarts: [],
  deadlines: {},
};

const AT = Date.UTC(2026, 0, 2, 3, 4, 5);

export function storeFolder(): { readonly folder: string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-store-cli-'));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** A store with the session `review`: it started, was asked, answered, used a tool, and went to sleep. */
export async function storeWithReview(path: string): Promise<Store> {
  const store = await openSqliteStore(path);
  await store.append({ sessionId: 'review', epoch: 1, events: REVIEW, records: [SESSION] });
  return store;
}

export function fact(seq: number, type: string, facts: object): StoredEvent {
  return { seq, epoch: 1, at: AT + seq, type, data: Buffer.from(JSON.stringify(facts)) };
}

/** A line that no terminal may obey: it would clear the screen. */
export const ANSWER =
  '{"type":"assistant","message":{"content":[{"type":"text","text":"Done.\\u001b[2J\\nAll   of it."}]}}';
const TOOL =
  '{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"ls"}}]}}';

const REVIEW: readonly StoredEvent[] = [
  fact(1, 'session.state-changed', { state: 'spawning', from: 'waiting' }),
  fact(2, 'prompt.accepted', { promptId: 'p1', onBusy: 'enqueue' }),
  { ...fact(3, 'message/assistant', {}), data: Buffer.from(ANSWER) },
  { ...fact(4, 'message/assistant', {}), data: Buffer.from(TOOL) },
  { ...fact(5, 'message/garbage', {}), data: Buffer.from('not json') },
  fact(6, 'session.state-changed', { state: 'hibernated', from: 'ready' }),
];
