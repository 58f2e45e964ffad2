import { isRecord, stringOf } from '../wire/fields.ts';
import { blocksOf, compactionOf, isMessage, type LinkedRow, parentOf } from './transcript-row.ts';

/**
 * The conversation as it stands, from its first row to its last. A transcript is a tree, because of retries, edits and
 * processes that wrote beside each other (WIRE §12): the branch whose end was written last is the one that counts. A
 * loop in it ends where it begins. What a compaction kept follows its summary.
 */
export function chainOf(rows: readonly LinkedRow[]): LinkedRow[] {
  const byId = relinked(rows);
  const leaf = lastMessage(byId, rows);
  return leaf === undefined ? [] : withParallelRows(climb(byId, leaf), byId);
}

/** The branch that ends in the newest message, as the rows of a subagent are read: all of them belong to it. */
export function subagentChainOf(rows: readonly LinkedRow[]): LinkedRow[] {
  const byId = new Map(rows.map((row) => [row.uuid, row]));
  const leaf = rows.findLast(isMessage);
  return leaf === undefined ? [] : climb(byId, leaf);
}

/** The rows by id, those that a compaction kept moved behind its summary. Of rows with one id the newest counts. */
function relinked(rows: readonly LinkedRow[]): Map<string, LinkedRow> {
  const byId = new Map(rows.map((row) => [row.uuid, row]));
  for (const boundary of [...byId.values()]) {
    const compaction = compactionOf(boundary);
    if (compaction === undefined) continue;
    const { anchor, kept, isComplete } = compaction;
    const [first, last] = [kept[0], kept.at(-1)];
    if (first === undefined || last === undefined) continue;
    if (isComplete && kept.some((uuid) => !byId.has(uuid))) continue;
    let above = anchor;
    for (const uuid of isComplete ? kept : [first]) {
      move(byId, uuid, above);
      above = uuid;
    }
    for (const row of [...byId.values()]) {
      if (parentOf(row) === anchor && row.uuid !== first) move(byId, row.uuid, last);
    }
  }
  return byId;
}

function move(byId: Map<string, LinkedRow>, uuid: string, parentUuid: string): void {
  const row = byId.get(uuid);
  if (row !== undefined) byId.set(uuid, { ...row, parentUuid });
}

/** The message in which the branch that was written last ends. A side branch counts only where there is no other. */
function lastMessage(byId: ReadonlyMap<string, LinkedRow>, rows: readonly LinkedRow[]): LinkedRow | undefined {
  const position = new Map(rows.map((row, index) => [row.uuid, index]));
  const newestFirst = [...byId.values()].toSorted(
    (one, other) => (position.get(other.uuid) ?? -1) - (position.get(one.uuid) ?? -1),
  );
  const main = newestFirst.filter(isMain);
  return messageAbove(leavesAmong(main), byId) ?? messageAbove(leavesAmong(newestFirst), byId);
}

function isMain(row: LinkedRow): boolean {
  const briefs =
    row.type === 'attachment' && isRecord(row['attachment']) && row['attachment']['type'] === 'fork_briefing';
  return row['isSidechain'] !== true && !row['teamName'] && row.type !== 'progress' && !briefs;
}

function leavesAmong(rows: readonly LinkedRow[]): LinkedRow[] {
  const parents = new Set(rows.map(parentOf));
  return rows.filter(({ uuid }) => !parents.has(uuid));
}

/** The first message that is met on the way up from one of the leaves. */
function messageAbove(leaves: readonly LinkedRow[], byId: ReadonlyMap<string, LinkedRow>): LinkedRow | undefined {
  const seen = new Set<string>();
  for (const leaf of leaves) {
    let row: LinkedRow | undefined = leaf;
    while (row !== undefined && !seen.has(row.uuid)) {
      if (isMessage(row)) return row;
      seen.add(row.uuid);
      row = byId.get(parentOf(row) ?? '');
    }
  }
  return undefined;
}

function climb(byId: ReadonlyMap<string, LinkedRow>, leaf: LinkedRow): LinkedRow[] {
  const chain: LinkedRow[] = [];
  const seen = new Set<string>();
  let row: LinkedRow | undefined = byId.get(leaf.uuid);
  while (row !== undefined && !seen.has(row.uuid)) {
    seen.add(row.uuid);
    chain.push(row);
    row = byId.get(parentOf(row) ?? '');
  }
  return chain.reverse();
}

/**
 * Several tool calls of one answer are rows of one message id, and each result hangs on its own call: only one of them is
 * on the way up. The others are put behind the last row of that answer, calls first, then results, in the order of time.
 */
function withParallelRows(chain: readonly LinkedRow[], byId: ReadonlyMap<string, LinkedRow>): LinkedRow[] {
  const inChain = new Set(chain.map(({ uuid }) => uuid));
  const families = new Map<string, LinkedRow[]>();
  const results = new Map<string, LinkedRow[]>();
  for (const row of byId.values()) {
    const id = messageIdOf(row);
    if (id !== undefined) put(families, id, row);
    const parent = parentOf(row);
    if (row.type === 'user' && parent !== undefined && blocksOf(row, 'tool_result').length > 0)
      put(results, parent, row);
  }
  const lastOfFamily = new Map(
    chain.flatMap((row) => (messageIdOf(row) === undefined ? [] : [[messageIdOf(row), row]])),
  );
  return chain.flatMap((row) => {
    const id = messageIdOf(row);
    if (id === undefined || lastOfFamily.get(id) !== row) return [row];
    const family = families.get(id) ?? [];
    const isMissing = ({ uuid }: LinkedRow) => !inChain.has(uuid);
    const answers = family.flatMap(({ uuid }) => results.get(uuid) ?? []);
    return [row, ...byTime(family.filter(isMissing)), ...byTime(answers.filter(isMissing))];
  });
}

function messageIdOf(row: LinkedRow): string | undefined {
  return row.type === 'assistant' && isRecord(row['message']) ? stringOf(row['message']['id']) : undefined;
}

function byTime(rows: readonly LinkedRow[]): LinkedRow[] {
  const timeOf = (row: LinkedRow) => stringOf(row['timestamp']) ?? '';
  return rows.toSorted((one, other) => (timeOf(one) < timeOf(other) ? -1 : timeOf(one) > timeOf(other) ? 1 : 0));
}

function put(groups: Map<string, LinkedRow[]>, key: string, row: LinkedRow): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [row]);
  else group.push(row);
}
