import type { AnyStateMachine, StateNode } from 'xstate';

/**
 * The statechart of a machine as a Mermaid `stateDiagram-v2`. It walks the transitions *and* the eventless ones, which
 * graph tools tend to leave out.
 */
export function toMermaid(machine: AnyStateMachine): string {
  const lines = ['stateDiagram-v2'];
  describe(machine.root, 1, lines);
  // Two guarded ways to one target with the same label are one arrow.
  lines.push(...new Set(nodesOf(machine.root).flatMap((node) => edgesOf(node))));
  return `${lines.join('\n')}\n`;
}

function describe(node: AnyNode, depth: number, lines: string[]): void {
  const indent = '  '.repeat(depth);
  const initial = node.initial?.target[0];
  if (initial !== undefined) lines.push(`${indent}[*] --> ${idOf(initial)}`);
  for (const [index, child] of Object.values(node.states).entries()) {
    // Regions that are all active at the same time.
    if (node.type === 'parallel' && index > 0) lines.push(`${indent}--`);
    if (Object.keys(child.states).length > 0) {
      lines.push(`${indent}state "${child.key}" as ${idOf(child)} {`);
      describe(child, depth + 1, lines);
      lines.push(`${indent}}`);
    } else {
      lines.push(`${indent}state "${child.key}" as ${idOf(child)}`);
      if (child.type === 'final') lines.push(`${indent}${idOf(child)} --> [*]`);
    }
  }
}

function edgesOf(node: AnyNode): string[] {
  const transitions = [...[...node.transitions.values()].flat(), ...(node.always ?? [])];
  // The root stands for "in every state": drawing it as a node of its own keeps the picture readable.
  const source = node.parent === undefined ? 'anywhere' : idOf(node);
  return transitions.flatMap((transition) =>
    (transition.target ?? []).map((target) => `  ${source} --> ${idOf(target)} : ${labelOf(transition)}`),
  );
}

function labelOf(transition: { eventType: string; guard?: unknown }): string {
  const event = nameOf(transition.eventType);
  const guard = guardName(transition.guard);
  return guard === undefined ? event : `${event} [${guard}]`;
}

function nameOf(eventType: string): string {
  if (eventType === '') return 'always';
  const delay = /^xstate\.after\.(.+?)\./.exec(eventType);
  if (delay?.[1] !== undefined) return `after ${delay[1]}`;
  if (eventType.startsWith('xstate.done.state.')) return 'done';
  const invoked = /^xstate\.(done|error)\.actor\./.exec(eventType);
  if (invoked?.[1] !== undefined) return invoked[1] === 'done' ? 'done' : 'error';
  return eventType;
}

function guardName(guard: unknown): string | undefined {
  if (typeof guard === 'string') return guard;
  if (typeof guard === 'object' && guard !== null && 'type' in guard && typeof guard.type === 'string')
    return guard.type;
  return undefined;
}

type AnyNode = StateNode<never, never> | AnyStateMachine['root'];

function nodesOf(node: AnyNode): AnyNode[] {
  return [node, ...Object.values(node.states).flatMap((child) => nodesOf(child))];
}

function idOf(node: { id: string }): string {
  return node.id.replace(/[^A-Za-z0-9_]/g, '_');
}
