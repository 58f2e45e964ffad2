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

/** The arrows that a change of state may have gone along: several where the events tell less than the machines know. */
export function arrowsOf<A extends ChartArrow>(
  { from, to }: Pick<Transition, 'from' | 'to'>,
  states: readonly ChartState[],
  arrows: readonly A[],
): readonly A[] {
  const target = stateOf(to, states);
  const source = from === undefined ? undefined : stateOf(from, states);
  if (target === undefined || source === undefined) return [];
  const fitting = arrows.filter((arrow) => {
    if (arrow.source.endsWith('(start)')) return false;
    const any = arrow.source.endsWith('(any)') && machineOf(arrow.source) === machineOf(source);
    const leaves = any || isIn(arrow.source, source, states) || isIn(source, arrow.source, states);
    return leaves && (isIn(arrow.target, target, states) || isIn(target, arrow.target, states));
  });
  const exact = fitting.filter((arrow) => arrow.source === source && arrow.target === target);
  // Where the events name a state without others inside, they have said it all.
  const areLeaves = !states.some(({ parent }) => parent === source || parent === target);
  if (exact.length > 0 && areLeaves) return exact;
  if (machineOf(source) === machineOf(target)) return fitting;
  // A process begins where its session gets one, and its session goes on where it ended: no machine has both ends.
  const [leaving, entered] = machineOf(source) === 'session' ? [AROUND, target] : [source, AROUND];
  return arrows.filter((arrow) => arrow.source === leaving && arrow.target === entered);
}

function machineOf(id: string): string | undefined {
  return id.split('.')[0];
}

function isIn(id: string, around: string, states: readonly ChartState[]): boolean {
  for (let one: string | undefined = id; one !== undefined; one = states.find((state) => state.id === one)?.parent)
    if (one === around) return true;
  return false;
}
