import elkjs, { type ElkExtendedEdge, type ElkNode } from 'elkjs/lib/elk.bundled.js';
import type { Box, Chart, ChartArrow, ChartState, DrawnChart, Point } from './chart.ts';

/** Of the letters that the page writes: large, as the whole chart is made to fit its panel. */
const LETTER = 9.4;
const SIDE = 22;

const OPTIONS = {
  'elk.algorithm': 'layered',
  'elk.direction': 'DOWN',
  'elk.edgeRouting': 'ORTHOGONAL',
  // The machines name their states in the order of a life: against that order an arrow leads back.
  'elk.layered.cycleBreaking.strategy': 'MODEL_ORDER',
  'elk.layered.considerModelOrder.strategy': 'PREFER_NODES',
  'elk.layered.spacing.nodeNodeBetweenLayers': '14',
  'elk.layered.spacing.edgeEdgeBetweenLayers': '5',
  'elk.layered.spacing.edgeNodeBetweenLayers': '7',
  'elk.spacing.nodeNode': '12',
  'elk.spacing.edgeNode': '8',
  'elk.spacing.edgeEdge': '6',
  'elk.layered.nodePlacement.strategy': 'NETWORK_SIMPLEX',
  'elk.layered.mergeEdges': 'true',
  'elk.layered.mergeHierarchyEdges': 'true',
  'elk.randomSeed': '1',
  'elk.padding': '[top=6,left=6,bottom=6,right=6]',
};

/** What is inside is laid out by itself, which takes less room. */
const SEALED_OPTIONS = { ...OPTIONS, 'elk.hierarchyHandling': 'INCLUDE_CHILDREN' };
const INSIDE_OPTIONS = { 'elk.padding': '[top=30,left=10,bottom=10,right=10]' };

/** What begins a life before what comes of it, inside as well. */
const FORWARD = { 'elk.layered.priority.direction': '10' };

/** Gives every state and arrow its place. It takes a second, so it is done when the page is built. */
export async function drawn(chart: Chart): Promise<DrawnChart> {
  const elk = new elkjs.default();
  const graph: ElkNode = {
    id: 'chart',
    layoutOptions: { ...OPTIONS, 'elk.hierarchyHandling': 'SEPARATE_CHILDREN' },
    children: chart.states.filter(({ parent }) => parent === undefined).map((state) => nodeOf(state, chart)),
    edges: edgesIn(undefined, chart),
  };
  const laidOut = await elk.layout(graph);
  const boxes = boxesOf(laidOut, 0, 0);
  const routes = new Map(edgesOf(laidOut).map((edge) => [edge.id, edge]));
  return {
    width: Math.ceil(laidOut.width ?? 0),
    height: Math.ceil(laidOut.height ?? 0),
    states: chart.states.map((state) => ({ ...state, box: boxes.get(state.id) ?? NOWHERE })),
    arrows: chart.arrows.map((arrow) => ({ ...arrow, points: pointsOf(arrow, routes.get(arrow.id), boxes) })),
  };
}

const NOWHERE: Box = { x: 0, y: 0, width: 0, height: 0 };

function nodeOf(state: ChartState, chart: Chart): ElkNode {
  const inside = chart.states.filter(({ parent }) => parent === state.id);
  if (inside.length > 0) {
    const children = inside.map((child) => nodeOf(child, chart));
    if (!isSealed(state.id, chart)) return { id: state.id, layoutOptions: INSIDE_OPTIONS, children };
    const layoutOptions = { ...SEALED_OPTIONS, ...INSIDE_OPTIONS };
    return { id: state.id, layoutOptions, children, edges: edgesIn(state.id, chart) };
  }
  if (state.kind === 'start') return { id: state.id, width: 10, height: 10 };
  return { id: state.id, width: Math.round(state.name.length * LETTER + SIDE), height: state.kind === 'any' ? 26 : 30 };
}

/** The arrows of which that state is the innermost sealed one around both ends. */
function edgesIn(sealed: string | undefined, chart: Chart): ElkExtendedEdge[] {
  const order = chart.states.map(({ id }) => id);
  return chart.arrows
    .filter(({ source }) => sealedAround(source, chart) === sealed)
    .map(({ id, source, target }) => {
      const layoutOptions = order.indexOf(source) < order.indexOf(target) ? FORWARD : {};
      return { id, sources: [source], targets: [target], layoutOptions };
    });
}

function sealedAround(id: string, chart: Chart): string | undefined {
  return around(id, chart).find((one) => isSealed(one, chart));
}

/** No arrow leads into it or out of it: a machine of its own. */
function isSealed(id: string, chart: Chart): boolean {
  const isInside = (one: string) => around(one, chart).includes(id);
  return chart.arrows.every(({ source, target }) => isInside(source) === isInside(target));
}

/** The states around one, the innermost first. */
function around(id: string, chart: Chart): string[] {
  const parent = chart.states.find((state) => state.id === id)?.parent;
  return parent === undefined ? [] : [parent, ...around(parent, chart)];
}

function boxesOf(node: ElkNode, left: number, top: number): Map<string, Box> {
  const boxes = new Map<string, Box>();
  for (const child of node.children ?? []) {
    const box = { x: round(left + (child.x ?? 0)), y: round(top + (child.y ?? 0)), ...sizeOf(child) };
    boxes.set(child.id, box);
    for (const [id, inner] of boxesOf(child, box.x, box.y)) boxes.set(id, inner);
  }
  return boxes;
}

function sizeOf({ width = 0, height = 0 }: ElkNode) {
  return { width: round(width), height: round(height) };
}

function edgesOf(node: ElkNode): ElkExtendedEdge[] {
  return [...(node.edges ?? []), ...(node.children ?? []).flatMap((child) => edgesOf(child))];
}

/** The coordinates of an edge count from the box that the layout says is around both of its ends. */
function pointsOf({ id }: ChartArrow, edge: ElkExtendedEdge | undefined, boxes: ReadonlyMap<string, Box>): Point[] {
  const section = edge?.sections?.[0];
  if (edge === undefined || section === undefined) throw new Error(`The layout has no way for ${id}.`);
  const container = 'container' in edge && typeof edge.container === 'string' ? edge.container : '';
  const { x, y } = boxes.get(container) ?? NOWHERE;
  return [section.startPoint, ...(section.bendPoints ?? []), section.endPoint].map((point) => [
    round(point.x + x),
    round(point.y + y),
  ]);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
