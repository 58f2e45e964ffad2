import { isRecord, stringOf } from '../wire/fields.ts';
import { compactionOf, isLinked, type LinkedRow, parentOf, type Row } from './transcript-row.ts';

export interface ForkPlan {
  readonly sourceId: string;
  readonly forkId: string;
  /** Of the last message that comes along; undefined for all. */
  readonly upTo: string | undefined;
  readonly title: string;
  readonly now: string;
  readonly newId: () => string;
}

/** Rows that rule how the conversation may be used, or that messages refer to: a copy must not lose them. */
const KEPT_BESIDE: ReadonlySet<string> = new Set([
  'content-replacement',
  'history-suppression',
  'hybrid-organization',
  'session-owner',
  'atis-latch',
  'tools-used',
  'data-flow-records',
  'data-flow-incomplete',
  'derived-from',
  'relocated',
]);

/** Fields that said something of the first conversation and would be wrong in the copy. */
const STALE = [
  'teamName',
  'agentName',
  'sessionKind',
  'slug',
  'sourceToolAssistantUUID',
  'summarizedTurnPromptUuids',
  'droppedPromptUuids',
  'sentAsUuid',
  'rowsAheadOfPutBack',
  'turnAttributionKey',
] as const;

/** Why there is no fork. */
export type ForkRefusal = 'no-messages' | 'message-not-found';

/** The rows of the copy: every message under a new id, linked as before, each with the row it was made from. Pure. */
export function forkRows(rows: readonly Row[], plan: ForkPlan): Row[] | ForkRefusal {
  const tree = rows.filter(isLinked).filter((row) => row['isSidechain'] !== true);
  const taken = plan.upTo === undefined ? tree : upTo(tree, plan.upTo);
  if (taken === undefined) return 'message-not-found';
  const copied = taken.filter(({ type }) => type !== 'progress');
  if (copied.length === 0) return 'no-messages';
  const byId = new Map(taken.map((row) => [row.uuid, row]));
  const ids = new Map(copied.map(({ uuid }) => [uuid, plan.newId()]));
  const messages = copied.map((row, index) => {
    const isLast = index === copied.length - 1;
    return copyOf(row, { plan, ids, byId, timestamp: isLast ? plan.now : row['timestamp'] });
  });
  const beside = rows.filter(({ type }) => KEPT_BESIDE.has(type)).map((row) => ({ ...row, sessionId: plan.forkId }));
  const title: Row = {
    type: 'custom-title',
    sessionId: plan.forkId,
    customTitle: plan.title,
    uuid: plan.newId(),
    timestamp: plan.now,
  };
  return [...messages, ...beside, title];
}

/** The rows up to the message, in the order of the file; undefined when it is not there. */
function upTo(tree: readonly LinkedRow[], uuid: string): LinkedRow[] | undefined {
  const own = tree.findIndex((row) => row.uuid === uuid);
  // A prompt that was put into a running turn has the id it was sent with.
  const end = own === -1 ? tree.findIndex((row) => queuedSource(row) === uuid) : own;
  const last = tree[end];
  if (last === undefined) return undefined;
  const isBoundary = compactionOf(last) !== undefined || last['subtype'] === 'compact_boundary';
  // Nothing was compacted yet at that point. A boundary that anchors itself was made by going back, and is kept.
  const isOpening = isBoundary && compactionOf(last)?.anchor !== last.uuid;
  const slice = tree.slice(0, isOpening ? end : end + 1);
  return slice.map((row) => (compactionOf(row)?.anchor === last.uuid ? withoutKept(row) : row));
}

/** The summary is the last that comes along, so what was kept behind it does not. */
function withoutKept(boundary: LinkedRow): LinkedRow {
  const {
    preservedMessages: _list,
    preservedSegment: _segment,
    postTokens: _tokens,
    ...metadata
  } = metadataOf(boundary);
  return { ...boundary, compactMetadata: metadata };
}

interface Copying {
  readonly plan: ForkPlan;
  readonly ids: ReadonlyMap<string, string>;
  readonly byId: ReadonlyMap<string, LinkedRow>;
  readonly timestamp: unknown;
}

function copyOf(row: LinkedRow, { plan, ids, byId, timestamp }: Copying): Row {
  const kept = Object.fromEntries(Object.entries(row).filter(([name]) => !STALE.some((stale) => stale === name)));
  const logicalParent = stringOf(row['logicalParentUuid']);
  return {
    ...kept,
    type: row.type,
    ...(row.type === 'system' ? renamedCompaction(row, ids) : {}),
    ...renamedSource(row, ids),
    uuid: ids.get(row.uuid) ?? plan.newId(),
    parentUuid: parentIn(row, ids, byId) ?? null,
    ...(logicalParent === undefined ? {} : { logicalParentUuid: ids.get(logicalParent) ?? null }),
    sessionId: plan.forkId,
    timestamp,
    isSidechain: false,
    forkedFrom: { sessionId: plan.sourceId, messageUuid: row.uuid },
  };
}

/** Progress rows are not copied, so their children hang on the next row above. */
function parentIn(
  row: LinkedRow,
  ids: ReadonlyMap<string, string>,
  byId: ReadonlyMap<string, LinkedRow>,
): string | undefined {
  const seen = new Set<string>();
  for (let above = parentOf(row); above !== undefined && !seen.has(above); ) {
    const id = ids.get(above);
    if (id !== undefined) return id;
    seen.add(above);
    const parent = byId.get(above);
    above = parent === undefined ? undefined : parentOf(parent);
  }
  return undefined;
}

function renamedCompaction(row: LinkedRow, ids: ReadonlyMap<string, string>): Record<string, unknown> {
  if (!isRecord(row['compactMetadata'])) return {};
  const rename = (value: unknown): unknown => {
    if (typeof value === 'string') return ids.get(value) ?? value;
    return Array.isArray(value) ? value.map(rename) : value;
  };
  const entries = Object.entries(row['compactMetadata']).map(([name, value]) => {
    const isKept = (name === 'preservedMessages' || name === 'preservedSegment') && isRecord(value);
    return [name, isKept ? Object.fromEntries(Object.entries(value).map(([key, it]) => [key, rename(it)])) : value];
  });
  return { compactMetadata: Object.fromEntries(entries) };
}

function renamedSource(row: LinkedRow, ids: ReadonlyMap<string, string>): Record<string, unknown> {
  const id = ids.get(queuedSource(row) ?? '');
  return id === undefined || !isRecord(row['attachment'])
    ? {}
    : { attachment: { ...row['attachment'], source_uuid: id } };
}

function queuedSource(row: LinkedRow): string | undefined {
  const { attachment } = row;
  return isRecord(attachment) && attachment['type'] === 'queued_command'
    ? stringOf(attachment['source_uuid'])
    : undefined;
}

function metadataOf(row: LinkedRow): Record<string, unknown> {
  return isRecord(row['compactMetadata']) ? row['compactMetadata'] : {};
}
