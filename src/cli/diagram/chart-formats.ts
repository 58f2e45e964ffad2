import type { ChartState, ChartTransition } from './chart.ts';

/** For Graphviz. Without an arrow from a state that has none: what a transition does where it stays is no part of the picture. */
export function toDot(chart: ChartState): string {
  const lines = [
    `digraph ${quoted(chart.id)} {`,
    '  compound=true; rankdir=LR; fontname="sans-serif"; node [shape=box, style=rounded, fontname="sans-serif"]; edge [fontname="sans-serif", fontsize=10];',
    ...chart.states.flatMap((state) => dotState(state, 1)),
    ...statesOf(chart).flatMap(dotEdges),
    '}',
  ];
  return `${lines.join('\n')}\n`;
}

/** State Chart XML (W3C). Delays and ends of actors are events with the names that they have in the other formats. */
export function toScxml(chart: ChartState): string {
  const inner = chart.states.flatMap((state) => scxmlState(state, 1));
  const initial = chart.initial === undefined ? '' : ` initial="${escaped(chart.initial)}"`;
  const root =
    chart.transitions.length === 0 ? inner : ['  <!-- In every state: -->', ...scxmlTransitions(chart, 1), ...inner];
  // The root of SCXML takes no transitions: a state around all others does.
  const body =
    chart.transitions.length === 0
      ? root
      : [`  <state id="${escaped(chart.id)}"${initial}>`, ...root.map((line) => `  ${line}`), '  </state>'];
  const first = chart.transitions.length === 0 ? initial : ` initial="${escaped(chart.id)}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" name="${escaped(chart.id)}"${first}>`,
    ...body,
    '</scxml>',
    '',
  ].join('\n');
}

function dotState(state: ChartState, depth: number): string[] {
  const indent = '  '.repeat(depth);
  const shape = state.kind === 'final' ? ', peripheries=2' : '';
  const own = `${indent}${quoted(state.id)} [label=${quoted(state.key)}${shape}];`;
  if (state.states.length === 0) return [own];
  const dashed = state.kind === 'parallel' ? ' style=dashed;' : ' style=rounded;';
  return [
    `${indent}subgraph ${quoted(`cluster_${state.id}`)} {`,
    `${indent}  label=${quoted(state.key)};${dashed}`,
    // Where an arrow to or from the whole of it ends.
    `${indent}  ${quoted(state.id)} [label="", shape=point];`,
    ...(state.initial === undefined ? [] : [`${indent}  ${quoted(state.id)} -> ${quoted(state.initial)};`]),
    ...state.states.flatMap((child) => dotState(child, depth + 1)),
    `${indent}}`,
  ];
}

function dotEdges(state: ChartState): string[] {
  const edges = state.transitions.flatMap((transition) =>
    transition.targets.map(
      (target) => `  ${quoted(state.id)} -> ${quoted(target)} [label=${quoted(labelOf(transition))}];`,
    ),
  );
  // Two guarded ways to one target with the same label are one arrow.
  return [...new Set(edges)];
}

function scxmlState(state: ChartState, depth: number): string[] {
  const indent = '  '.repeat(depth);
  const name = state.kind === 'parallel' ? 'parallel' : state.kind === 'final' ? 'final' : 'state';
  const initial = state.initial === undefined || name !== 'state' ? '' : ` initial="${escaped(state.initial)}"`;
  const inner =
    name === 'final'
      ? []
      : [...scxmlTransitions(state, depth + 1), ...state.states.flatMap((child) => scxmlState(child, depth + 1))];
  const head = `${indent}<${name} id="${escaped(state.id)}"${initial}`;
  return inner.length === 0 ? [`${head}/>`] : [`${head}>`, ...inner, `${indent}</${name}>`];
}

function scxmlTransitions({ transitions }: ChartState, depth: number): string[] {
  return transitions.map(({ event, guard, targets }) => {
    const attributes = [
      // Blanks separate events there.
      ...(event === '' ? [] : [`event="${escaped(event.replaceAll(' ', '.'))}"`]),
      ...(guard === undefined ? [] : [`cond="${escaped(guard)}"`]),
      ...(targets.length === 0 ? [] : [`target="${escaped(targets.join(' '))}"`]),
    ];
    return `${'  '.repeat(depth)}<transition ${attributes.join(' ')}/>`;
  });
}

function statesOf(state: ChartState): ChartState[] {
  return [state, ...state.states.flatMap(statesOf)];
}

function labelOf({ event, guard }: ChartTransition): string {
  const name = event === '' ? 'always' : event;
  return guard === undefined ? name : `${name} [${guard}]`;
}

function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
