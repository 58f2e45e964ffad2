import { describe, expect, it } from 'vitest';
import { childMachine, sessionMachine, toMermaid } from '../../machines/index.ts';
import type { DrawnChart } from '../../src/dashboard/chart/chart.ts';
import { drawn } from '../../src/dashboard/chart/chart-layout.ts';
import { chartOfMachines } from '../../src/dashboard/chart/chart-of-machines.ts';
import { STATE_WORDS } from '../../src/dashboard/chart/state-words.ts';

const CHART = chartOfMachines();
const DRAWN = await drawn(CHART);

describe('the chart of a session', () => {
  it('has every state of the child machine and of the session machine, and no other', () => {
    const states = CHART.states.filter(({ kind }) => kind === 'state' || kind === 'final').map(({ id }) => id);

    expect(states.toSorted()).toEqual([...idsOf(childMachine.root), ...idsOf(sessionMachine.root)].toSorted());
  });

  it('has an arrow for every transition that the other drawing of the machines has', () => {
    const arrows = CHART.arrows.filter(({ source }) => !source.endsWith('(start)'));
    const said = arrows.map(({ source, target }) => `${mermaidId(source)} --> ${mermaidId(target)}`);

    expect(new Set(said)).toEqual(new Set([...edgesOf(childMachine), ...edgesOf(sessionMachine)]));
  });

  it('says of every arrow what has to happen', () => {
    expect(CHART.arrows.filter(({ ways }) => ways.length === 0)).toEqual([]);
    expect(CHART.arrows.flatMap(({ ways }) => ways).filter(({ event }) => event.startsWith('xstate.'))).toEqual([]);
  });

  it('explains every state, and none that there is not', () => {
    const states = CHART.states.filter(({ kind }) => kind === 'state' || kind === 'final').map(({ id }) => id);

    expect(Object.keys(STATE_WORDS).toSorted()).toEqual(states.toSorted());
  });

  it('has the process inside the state in which there is one', () => {
    expect(parentOf(DRAWN, 'session.spawning')).toBe('child.running');
    expect(parentOf(DRAWN, 'session.ready.idle')).toBe('session.ready');
  });
});

describe('the layout of the chart', () => {
  it('has a place inside the drawing for every state, inside the state around it', () => {
    const outside = DRAWN.states.filter(({ parent, box }) => {
      const around = DRAWN.states.find(({ id }) => id === parent)?.box ?? { x: 0, y: 0, ...DRAWN };
      const fits = box.x + box.width <= around.x + around.width && box.y + box.height <= around.y + around.height;
      return !(box.width > 0 && box.x >= around.x && box.y >= around.y && fits);
    });

    expect(outside).toEqual([]);
  });

  it('lets every arrow begin and end at the edge of its states', () => {
    const loose = DRAWN.arrows.filter(({ source, target, points }) => {
      return !touches(DRAWN, source, points.at(0)) || !touches(DRAWN, target, points.at(-1));
    });

    expect(loose.map(({ id }) => id)).toEqual([]);
  });

  it('lays no state over another one beside it', () => {
    const pairs = DRAWN.states.flatMap((one, index) =>
      DRAWN.states.slice(index + 1).map((other) => [one, other] as const),
    );
    const clashes = pairs.filter(([one, other]) => one.parent === other.parent && overlap(one.box, other.box));

    expect(clashes.map(([one, other]) => `${one.id} × ${other.id}`)).toEqual([]);
  });
});

interface Node {
  readonly id: string;
  readonly states: Readonly<Record<string, Node>>;
}

function idsOf(node: Node): string[] {
  return Object.values(node.states).flatMap((child) => [child.id, ...idsOf(child)]);
}

/** Arrows from a state to itself are told in words. */
function edgesOf(machine: Parameters<typeof toMermaid>[0]): string[] {
  const edges = [...toMermaid(machine).matchAll(/^ {2}(\w+) --> (\w+) :/gm)];
  const own = edges.filter(([, source, target]) => source !== target);
  return own.map(([, source, target]) => `${source === 'anywhere' ? `${machine.id}__any_` : source} --> ${target}`);
}

function mermaidId(id: string): string {
  return id.replaceAll(/[^A-Za-z0-9_]/g, '_');
}

function parentOf(chart: DrawnChart, id: string): string | undefined {
  return chart.states.find((state) => state.id === id)?.parent;
}

function touches(chart: DrawnChart, id: string, point: readonly [number, number] | undefined): boolean {
  const box = chart.states.find((state) => state.id === id)?.box;
  if (box === undefined || point === undefined) return false;
  const [x, y] = point;
  const isOn = (value: number, from: number, length: number) =>
    Math.abs(value - from) <= 1 || Math.abs(value - from - length) <= 1;
  const within = x >= box.x - 1 && x <= box.x + box.width + 1 && y >= box.y - 1 && y <= box.y + box.height + 1;
  return within && (isOn(x, box.x, box.width) || isOn(y, box.y, box.height));
}

function overlap(one: DrawnChart['states'][number]['box'], other: typeof one): boolean {
  const apart =
    one.x + one.width <= other.x ||
    other.x + other.width <= one.x ||
    one.y + one.height <= other.y ||
    other.y + other.height <= one.y;
  return !apart;
}
