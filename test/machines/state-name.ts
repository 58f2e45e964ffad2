import type { AnyMachineSnapshot, AnyStateMachine } from 'xstate';

/** The active state as one dotted path, e.g. `closing.draining`. */
export function stateOf(snapshot: AnyMachineSnapshot): string {
  return pathOf(snapshot.value);
}

/** The dotted paths of all states without child states, in document order. */
export function atomicStatesOf(machine: AnyStateMachine): string[] {
  return leavesOf(machine.root).map((node) => node.path.join('.'));
}

type StateTree = AnyStateMachine['root'];

function leavesOf(node: StateTree): StateTree[] {
  const children: StateTree[] = Object.values(node.states);
  return children.length === 0 ? [node] : children.flatMap((child) => leavesOf(child));
}

function pathOf(value: AnyMachineSnapshot['value']): string {
  if (typeof value === 'string') return value;
  return Object.entries(value)
    .map(([key, inner]) => (inner === undefined ? key : `${key}.${pathOf(inner)}`))
    .join(' + ');
}
