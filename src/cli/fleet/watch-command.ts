import type { RemoteFleet } from '../../client/remote-fleet.ts';
import type { TroupeClient } from '../../client/troupe-client.ts';
import { TroupeError } from '../../errors.ts';
import type { FleetView } from '../../view/fleet-view.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { jsonLine } from '../json-line.ts';
import { LEAVE_EXIT, type LeaveReason, onLeave } from '../leave.ts';
import { cutTo } from '../terminal/fitted-text.ts';
import { onKeys } from '../terminal/keys.ts';
import { Screen } from '../terminal/screen.ts';
import { type Style, styleOf } from '../terminal/style.ts';
import { timeOfDay } from '../terminal/time-words.ts';
import { fleetTable } from './fleet-table.ts';

/** A page is drawn at most so often, and at least once a second: times go on. */
const [LEAST_MS, MOST_MS] = [100, 1_000];
const HELP = 'q leave   ↑ ↓ move';

/** The fleet as it is and as it changes: a table that is drawn anew, or each event as a line of JSON. */
export async function watchFleet(client: TroupeClient, { json }: { readonly json?: true }): Promise<ExitCode> {
  if (json !== true && (process.stdout.isTTY !== true || process.stdin.isTTY !== true))
    throw new TroupeError('INVALID_OPTIONS', { reason: 'ps --watch draws on a terminal; elsewhere take --json.' });
  const fleet = client.fleet();
  const stops: (() => void)[] = [];
  try {
    return await new Promise<ExitCode>((resolve, reject) => {
      stops.push(onLeave((why: LeaveReason) => resolve(LEAVE_EXIT[why])));
      stops.push(fleet.refusal.subscribe((error) => error !== undefined && reject(error)));
      if (json === true) {
        stops.push(fleet.onEvent((event) => void process.stdout.write(jsonLine(event))));
        stops.push(fleet.view.subscribe(() => {}));
      } else stops.push(drawing(fleet, () => resolve(EXIT.done)));
    });
  } finally {
    for (const stop of stops.toReversed()) stop();
  }
}

function drawing(fleet: RemoteFleet, leave: () => void): () => void {
  const screen = new Screen(process.stdout);
  const style = styleOf(process.stdout);
  let top = 0;
  let drawnAt = 0;
  let timer: NodeJS.Timeout | undefined;
  const draw = () => {
    clearTimeout(timer);
    drawnAt = Date.now();
    timer = setTimeout(draw, MOST_MS);
    const shown = { now: drawnAt, columns: screen.columns, rows: screen.rows, top };
    const page = pageOf(fleet, style, shown);
    top = page.top;
    screen.draw(page.lines);
  };
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(draw, Math.max(0, drawnAt + LEAST_MS - Date.now()));
  };
  screen.open();
  const stops = [
    onKeys(process.stdin, ({ name, isCtrl }) => {
      if (name === 'q' || name === 'escape' || (isCtrl && (name === 'c' || name === 'd'))) return leave();
      top += { up: -1, k: -1, down: 1, j: 1, pageup: -10, pagedown: 10 }[name] ?? 0;
      soon();
    }),
    fleet.view.subscribe(soon),
    fleet.connection.subscribe(soon),
  ];
  process.stdout.on('resize', draw);
  return () => {
    clearTimeout(timer);
    process.stdout.off('resize', draw);
    for (const stop of stops) stop();
    screen.close();
  };
}

interface Shown {
  readonly now: number;
  readonly columns: number;
  readonly rows: number;
  readonly top: number;
}

function pageOf(fleet: RemoteFleet, style: Style, { now, columns, rows, top }: Shown) {
  const view = fleet.view.get();
  const connection = fleet.connection.get();
  const state = connection === 'live' ? style.green('live') : style.yellow(waitingWords(fleet, now));
  const head = `${style.bold('troupe')}  ${view === undefined ? '' : style.text(countsOf(view))}  ${state}  ${style.dim(timeOfDay(now))}`;
  const table = view === undefined ? [] : fleetTable(view.sessions, { style, now, columns });
  const [columnsRow = '', ...sessions] = table;
  const room = Math.max(1, rows - 5);
  const from = Math.max(0, Math.min(top, sessions.length - room));
  const below = sessions.length - from - room;
  const lines = [
    head,
    '',
    columnsRow,
    ...sessions.slice(from, from + room),
    ...(below > 0 ? [style.dim(`… ${below} more below`)] : []),
  ];
  const blanks = Array.from({ length: Math.max(0, rows - 1 - lines.length) }, () => '');
  return { top: from, lines: [...lines.slice(0, rows - 1), ...blanks, style.dim(cutTo(HELP, columns))] };
}

function countsOf({ sessions, permissions, phase }: FleetView): string {
  const working = sessions.filter(({ status }) => status === 'running').length;
  const parts = [counted(sessions.length, 'session'), `${working} working`, counted(permissions.length, 'question')];
  return `${parts.join(', ')}${phase === 'running' ? '' : ` — ${phase}`}`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function waitingWords(fleet: RemoteFleet, now: number): string {
  const at = fleet.retryAt.get();
  return fleet.connection.get() === 'waiting' && at !== undefined
    ? `the server does not answer, again in ${Math.max(0, Math.ceil((at - now) / 1000))} s`
    : 'connecting';
}
