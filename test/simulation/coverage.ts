import {
  type AnyMachineSnapshot,
  type AnyStateMachine,
  createActor,
  type EventObject,
  type InspectedMicrostepEvent,
  type InspectionEvent,
  isMachineSnapshot,
} from 'xstate';
import { getAdjacencyMap } from 'xstate/graph';
import type { RestoreSubject } from '../machines/restore-subjects.ts';
import { stateOf } from '../machines/state-name.ts';
import { deadEnds, type Place, timersOf } from '../machines/state-walk.ts';
import type { Subject } from '../machines/walk-subjects.ts';

type Node = AnyStateMachine['root'];
/** What `getAdjacencyMap` gives for each place of a machine whose types are not known. */
interface Vertex {
  readonly state: AnyMachineSnapshot;
  readonly transitions: Readonly<Record<string, { readonly state: AnyMachineSnapshot; readonly event: EventObject }>>;
}
type Transition = InspectedMicrostepEvent['_transitions'][number];

/** Which states and transitions of the machines were seen, by names that mean the same in every process. */
export class Coverage {
  readonly seen = new Set<string>();

  /** For the option `inspect`. */
  readonly inspect = (event: unknown): void => {
    if (!isMicrostep(event)) return;
    // A state that is left in the same breath is only seen by the way out of it.
    for (const transition of event._transitions) {
      this.seen.add(nameOf(transition));
      if (transition.source.path.length > 0) this.seen.add(stateName(transition.source));
    }
    if (!isMachineSnapshot(event.snapshot)) return;
    for (const node of event.snapshot._nodes) this.seen.add(stateName(node));
  };

  add(names: Iterable<string>): void {
    for (const name of names) this.seen.add(name);
  }
}

/** Every state and every transition that the machine is made of. */
export function partsOf(machine: AnyStateMachine): string[] {
  return nodesOf(machine.root).flatMap((node) => [
    ...(node === machine.root ? [] : [stateName(node)]),
    ...[...node.transitions.values()].flat().map(nameOf),
    ...(node.always ?? []).map(nameOf),
  ]);
}

/** Every place of the machine and every way between two, by paths over its model; told is what cannot come to an end. */
export function walkModel(
  { machine, options, goals }: Subject,
  coverage: Coverage,
  restored?: RestoreSubject,
): string[] {
  const { contextOf, events, input } = options;
  const keyOf = onceEach((snapshot: AnyMachineSnapshot) =>
    JSON.stringify([snapshot.value, contextOf?.(snapshot.context) ?? snapshot.context]),
  );
  const adjacency = getAdjacencyMap(machine, {
    input,
    limit: 1_000_000,
    events: (snapshot: AnyMachineSnapshot) =>
      snapshot.status === 'active' ? [...events, ...timersOf(machine, snapshot)] : [],
    serializeState: keyOf,
  });
  const step = watchedSteps(machine, input, coverage);
  const places = new Map<string, Place>();
  const known = new Set<string>();
  const keys = Object.keys(adjacency);
  const vertices: readonly Vertex[] = Object.values(adjacency);
  for (const [index, { state: snapshot, transitions }] of vertices.entries()) {
    const next = new Set<string>();
    for (const { state, event } of Object.values(transitions)) {
      step.take(snapshot, event);
      next.add(keyOf(state));
    }
    if (restored !== undefined) {
      // Another host goes on from there.
      const next = restored.restore(snapshot, 0);
      const name = JSON.stringify(next);
      if (!known.has(name)) step.begin({ ...Object(input), ...next });
      known.add(name);
    }
    places.set(keys[index] ?? '', { state: stateOf(snapshot), snapshot, next });
  }
  return deadEnds(places, goals);
}

/** Most places are come to in many ways, and each snapshot is asked for its name more than once: a name is there once. */
function onceEach<Key extends object>(nameOf: (key: Key) => string): (key: Key) => string {
  const names = new WeakMap<Key, string>();
  const known = new Map<string, string>();
  return (key) => {
    const former = names.get(key);
    if (former !== undefined) return former;
    const made = nameOf(key);
    const name = known.get(made) ?? made;
    known.set(name, name);
    names.set(key, name);
    return name;
  };
}

/** Transitions without an actor, seen by the coverage. */
function watchedSteps(machine: AnyStateMachine, input: unknown, coverage: Coverage) {
  const actor = createActor(machine, { input, inspect: (event: InspectionEvent) => coverage.inspect(event) });
  const scope: Parameters<AnyStateMachine['transition']>[2] = {
    self: actor,
    defer: () => {},
    id: '',
    logger: () => {},
    sessionId: '',
    stopChild: () => {},
    system: actor.system,
    emit: () => {},
    actionExecutor: () => {},
  };
  const begin = (from: unknown): void => {
    machine.getInitialSnapshot(scope, from);
  };
  begin(input);
  return {
    begin,
    take: (snapshot: AnyMachineSnapshot, event: EventObject): void => {
      machine.transition(snapshot, event, scope);
    },
  };
}

function nodesOf(node: Node): Node[] {
  const children: Node[] = Object.values(node.states);
  return [node, ...children.flatMap(nodesOf)];
}

function stateName({ machine, path }: Pick<Node, 'machine' | 'path'>): string {
  return `${machine.id} ${path.join('.')}`;
}

function nameOf(transition: Transition): string {
  const { source, eventType } = transition;
  const rivals: readonly Transition[] = source.transitions.get(eventType) ?? source.always ?? [];
  return `${stateName(source)} on ${eventType} #${rivals.indexOf(transition)}`;
}

function isMicrostep(event: unknown): event is InspectedMicrostepEvent {
  return typeof event === 'object' && event !== null && 'type' in event && event.type === '@xstate.microstep';
}
