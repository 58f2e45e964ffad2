import type { Transition } from '../../view/session-view.ts';
import type { ChartArrow, ChartState } from './chart.ts';

const AROUND = 'child.running';

/** The id of a place as a view names it: `ready.running` is of the process, `waiting` of the session. */
export function stateOf(position: string, states: readonly ChartState[]): string | undefined {
  const ids = new Set(states.map(({ id }) => id));
  // While there is a process its words win, as in `session.state`.
  const candidates = [`session.${position}`, `child.${position}`];
  const found = candidates.find((id) => ids.has(id));
  if (found !== undefined || !position.includes('.')) return found;
  return stateOf(position.slice(0, position.lastIndexOf('.')), states);
}

/** The active state and all around it. */
export function litStates(position: string, states: readonly ChartState[]): ReadonlySet<string> {
  const lit = new Set<string>();
  for (let id = stateOf(position, states); id !== undefined; id = states.find((one) => one.id === id)?.parent)
    lit.add(id);
  return lit;
}

/** The arrow that a change of state went along; the nearest one when the events tell less than the machine knows. */
export function arrowOf(
  { from, to }: Pick<Transition, 'from' | 'to'>,
  states: readonly ChartState[],
  arrows: readonly ChartArrow[],
): ChartArrow | undefined {
  const target = stateOf(to, states);
  const source = from === undefined ? undefined : stateOf(from, states);
  if (target === undefined || source === undefined) return undefined;
  const arrivals = arrows.filter((arrow) => isIn(arrow.target, target, states) && !arrow.source.endsWith('(start)'));
  const fits = [
    (arrow: ChartArrow) => arrow.source === source && arrow.target === target,
    (arrow: ChartArrow) => arrow.source === source,
    // Out of a state inside, or of one around.
    (arrow: ChartArrow) => isIn(arrow.source, source, states),
    (arrow: ChartArrow) => isIn(source, arrow.source, states),
    (arrow: ChartArrow) => arrow.source.endsWith('(any)') && arrow.source.split('.')[0] === source.split('.')[0],
  ];
  for (const fit of fits) {
    const arrow = arrivals.find(fit);
    if (arrow !== undefined) return arrow;
  }
  // A process begins where its session gets one, and ends where its session goes on: no arrow of one machine is both.
  if (source.startsWith('child.') && target === 'session.spawning')
    return arrows.find((arrow) => arrow.source === source && arrow.target === AROUND);
  return source.startsWith('session.') && target.startsWith('child.')
    ? arrows.find((arrow) => arrow.source === AROUND && arrow.target === target)
    : undefined;
}

function isIn(id: string, around: string, states: readonly ChartState[]): boolean {
  for (let one: string | undefined = id; one !== undefined; one = states.find((state) => state.id === one)?.parent)
    if (one === around) return true;
  return false;
}
