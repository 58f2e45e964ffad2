import { childMachine, sessionMachine } from '../../../machines/index.ts';
import type { Chart, ChartArrow, ChartState, Way } from './chart.ts';
import { STATE_WORDS } from './state-words.ts';

type Node = typeof childMachine.root | typeof sessionMachine.root | (typeof childMachine.root)['states'][string];

/** Where the machine of one process runs in that of its session. */
const AROUND_SESSION = 'child.running';

/** Reads the machines as they are: a state or transition that is added there is drawn here. */
export function chartOfMachines(): Chart {
  const parts = [...partsOf(childMachine.root, undefined), ...partsOf(sessionMachine.root, AROUND_SESSION)];
  const arrows = new Map<string, ChartArrow>();
  for (const { arrow } of parts) {
    if (arrow === undefined) continue;
    const known = arrows.get(arrow.id);
    arrows.set(
      arrow.id,
      known === undefined ? arrow : { ...known, ways: withoutTwins([...known.ways, ...arrow.ways]) },
    );
  }
  return { states: parts.flatMap(({ state }) => state ?? []), arrows: [...arrows.values()] };
}

interface Part {
  readonly state?: ChartState;
  readonly arrow?: ChartArrow;
}

function partsOf(node: Node, around: string | undefined): Part[] {
  const isRoot = node.parent === undefined;
  // The root of a machine is no box of its own: what leads out of it leads out of any of its states.
  const id = isRoot ? around : node.id;
  const parts: Part[] = [];
  if (!isRoot) parts.push({ state: stateOf(node, around) });
  const start = node.initial?.target[0];
  if (start !== undefined) {
    const dot = `${node.id}.(start)`;
    parts.push({ state: mark(dot, 'start', id) }, { arrow: arrowOf(dot, start.id, { event: 'at first' }) });
  }
  const outward = outwardOf(node);
  if (isRoot && outward.length > 0) parts.push({ state: mark(`${node.id}.(any)`, 'any', id) });
  const source = isRoot ? `${node.id}.(any)` : node.id;
  for (const { target, way } of outward) parts.push({ arrow: arrowOf(source, target, way) });
  return [...parts, ...Object.values(node.states).flatMap((child) => partsOf(child, id))];
}

function stateOf(node: Node, parent: string | undefined): ChartState {
  const kind = node.type === 'final' ? 'final' : 'state';
  const hears = [...node.transitions.values()]
    .flat()
    .filter(({ target }) => target === undefined || target.every((one) => one === node))
    .map(({ eventType }) => wordsFor(eventType));
  const words = STATE_WORDS[node.id] ?? node.description ?? '';
  return {
    id: node.id,
    name: node.key,
    kind,
    words,
    hears: [...new Set(hears)],
    ...(parent === undefined ? {} : { parent }),
  };
}

function mark(id: string, kind: 'any' | 'start', parent: string | undefined): ChartState {
  const words = kind === 'any' ? 'Whatever state it is in.' : 'Where it begins.';
  return {
    id,
    name: kind === 'any' ? 'any state' : '',
    kind,
    words,
    hears: [],
    ...(parent === undefined ? {} : { parent }),
  };
}

function outwardOf(node: Node): { target: string; way: Way }[] {
  const transitions = [...[...node.transitions.values()].flat(), ...(node.always ?? [])];
  return transitions.flatMap(({ target, eventType, guard }) =>
    (target ?? [])
      .filter((one) => one !== node)
      .map((one) => ({ target: one.id, way: wayOf(eventType, guardName(guard)) })),
  );
}

function arrowOf(source: string, target: string, way: Way): ChartArrow {
  return { id: `${source} → ${target}`, source, target, ways: [way] };
}

function wayOf(eventType: string, guard: string | undefined): Way {
  return { event: wordsFor(eventType), ...(guard === undefined ? {} : { guard }) };
}

function withoutTwins(ways: readonly Way[]): Way[] {
  return [...new Map(ways.map((way) => [`${way.event} ${way.guard ?? ''}`, way])).values()];
}

function wordsFor(eventType: string): string {
  if (eventType === '') return 'at once';
  const delay = /^xstate\.after\.(.+?)\./.exec(eventType);
  if (delay?.[1] !== undefined) return `after ${delay[1]}`;
  if (/^xstate\.done\./.test(eventType)) return 'granted';
  if (/^xstate\.error\./.test(eventType)) return 'refused';
  return eventType;
}

function guardName(guard: unknown): string | undefined {
  if (typeof guard === 'string') return guard;
  if (typeof guard !== 'object' || guard === null || !('type' in guard) || typeof guard.type !== 'string')
    return undefined;
  const to = 'params' in guard && typeof guard.params === 'object' && guard.params !== null && 'to' in guard.params;
  return to && guard.type === 'comesBack' ? 'as its host left it' : guard.type;
}
