import type { SessionSummary } from '../../view/fleet-view.ts';
import type { Style } from '../terminal/style.ts';
import { type Cell, tableOf } from '../terminal/table.ts';
import { lasting } from '../terminal/time-words.ts';

const HEAD = ['SESSION', 'STATE', 'FOR', 'ASKS', 'QUEUE', 'TURNS', 'RESTARTS', 'COST', 'MODEL', 'NOTE'];
const [SESSION_COLUMN, MODEL_COLUMN, NOTE_COLUMN] = [0, 8, 9];

type Paint = 'text' | 'dim' | 'green' | 'yellow' | 'red' | 'cyan';

const PAINTS: Readonly<Record<string, Paint>> = {
  spawning: 'cyan',
  initializing: 'cyan',
  'mcp-setup': 'cyan',
  waiting: 'cyan',
  'awaiting-permission': 'yellow',
  'backing-off': 'yellow',
  parked: 'yellow',
  held: 'yellow',
  failed: 'red',
  quarantined: 'red',
  hibernated: 'dim',
  closing: 'dim',
  closed: 'dim',
  stopping: 'dim',
  stopped: 'dim',
};

/** A row for each session, under a head. `columns`: of the terminal. */
export function fleetTable(
  sessions: readonly SessionSummary[],
  { style, now, columns }: { readonly style: Style; readonly now: number; readonly columns?: number },
): string[] {
  const head = HEAD.map((text): Cell => ({ text, paint: style.dim }));
  const rows = sessions.map((session) => rowOf(session, style, now));
  return tableOf([head, ...rows], {
    ...(columns === undefined ? {} : { columns }),
    flexible: [SESSION_COLUMN, MODEL_COLUMN, NOTE_COLUMN],
  });
}

function rowOf(session: SessionSummary, style: Style, now: number): Cell[] {
  const { id, position, state, since, openPermissions, queuedPrompts, turns, restarts, costUsd, model } = session;
  const isWorking = state === 'ready' && session.status === 'running';
  return [
    { text: id, paint: style.bold },
    { text: position, paint: isWorking ? style.green : style[PAINTS[state] ?? 'text'] },
    { text: lasting(now - since) },
    { text: numberOf(openPermissions), paint: style.yellow },
    { text: numberOf(queuedPrompts) },
    { text: numberOf(turns) },
    { text: numberOf(restarts) },
    { text: costUsd === undefined ? '' : `$${costUsd.toFixed(costUsd < 1 ? 4 : 2)}` },
    { text: model ?? '', paint: style.dim },
    { text: noteOf(session, now), paint: style.dim },
  ];
}

/** What somebody should know, the most urgent first. */
export function noteOf(session: SessionSummary, now: number): string {
  const { promptsInDoubt, quarantined, parked, ended, silentSince } = session;
  if (promptsInDoubt > 0) return `${promptsInDoubt} in doubt: troupe explain says how to decide`;
  if (quarantined !== undefined) return quarantined.message;
  if (parked !== undefined) return parked.note;
  if (ended !== undefined && ended.code !== 'closed') return ended.message;
  if (silentSince !== undefined) return `silent for ${lasting(now - silentSince)}`;
  return '';
}

function numberOf(count: number): string {
  return count === 0 ? '-' : String(count);
}
