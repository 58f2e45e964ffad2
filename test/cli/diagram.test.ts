import { describe, expect, it } from 'vitest';
import type { AnyStateNode } from 'xstate';
import { sessionMachine } from '../../machines/session/session.machine.ts';
import { supervisorMachine } from '../../machines/supervisor/supervisor.machine.ts';
import { type ChartState, chartOf } from '../../src/cli/diagram/chart.ts';
import { toDot, toScxml } from '../../src/cli/diagram/chart-formats.ts';

const nodesOf = (node: AnyStateNode): AnyStateNode[] => [node, ...Object.values(node.states).flatMap(nodesOf)];
const statesOf = (state: ChartState): ChartState[] => [state, ...state.states.flatMap(statesOf)];

describe.each([
  ['session', sessionMachine],
  ['supervisor', supervisorMachine],
])('the diagram of the machine %s', (_, machine) => {
  const chart = chartOf(machine);
  const states = statesOf(chart);
  const ids = new Set(states.map(({ id }) => id));

  it('has every state and every transition of the machine, each to a state that is there', () => {
    const nodes = new Map(nodesOf(machine.root).map((node) => [node.id, node]));
    expect([...ids].sort()).toEqual([...nodes.keys()].sort());
    for (const { id, transitions } of states) {
      const node = nodes.get(id);
      expect(transitions).toHaveLength(
        [...(node?.transitions.values() ?? [])].flat().length + (node?.always?.length ?? 0),
      );
      for (const { targets } of transitions) for (const target of targets) expect(ids).toContain(target);
    }
  });

  it('is DOT with each state and each arrow', () => {
    const dot = toDot(chart);

    for (const { id, transitions } of states.slice(1)) {
      expect(dot).toContain(`"${id}" [label=`);
      for (const { targets } of transitions)
        for (const target of targets) expect(dot).toContain(`"${id}" -> "${target}" [`);
    }
    expect(dot.split('{')).toHaveLength(dot.split('}').length);
  });

  it('is SCXML whose elements are closed, with each state once', () => {
    const scxml = toScxml(chart);
    const open: string[] = [];
    for (const [, close, name = '', empty] of scxml
      .replace(/^<\?.*\?>|<!--.*-->/gm, '')
      .matchAll(/<(\/?)([a-z]+)[^>]*?(\/?)>/g)) {
      if (close === '/') expect(open.pop()).toBe(name);
      else if (empty !== '/') open.push(name);
    }
    expect(open).toEqual([]);
    const named = [...scxml.matchAll(/<(?:state|parallel|final) id="([^"]+)"/g)].map(([, id]) => id);
    expect(named.filter((id) => id !== chart.id).sort()).toEqual([...ids].filter((id) => id !== chart.id).sort());
  });
});
