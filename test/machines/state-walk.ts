import {
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type EventObject,
  getStateNodes,
  initialTransition,
  transition,
} from 'xstate';
import { stateOf } from './state-name.ts';

export interface WalkOptions {
  readonly input: unknown;
  /** What may happen besides the machine's own timers. */
  readonly events: readonly EventObject[];
  /** The part of the context that decides anything; by default all of it. */
  readonly contextOf?: (context: Record<string, unknown>) => unknown;
}

export interface Place {
  readonly state: string;
  readonly snapshot: AnyMachineSnapshot;
  readonly next: Set<string>;
}

/** A walk that passes more places than this means a context that grows without end. */
const MAX_PLACES = 20_000;

/** Every place the machine can get to, by any order of the given events and its own timers. */
export function walk(machine: AnyStateMachine, options: WalkOptions): Map<string, Place> {
  const places = new Map<string, Place>();
  const keyOf = (snapshot: AnyMachineSnapshot) =>
    JSON.stringify([snapshot.value, options.contextOf?.(snapshot.context) ?? snapshot.context]);
  const visit = (snapshot: AnyMachineSnapshot): string => {
    const key = keyOf(snapshot);
    if (!places.has(key)) places.set(key, { state: stateOf(snapshot), snapshot, next: new Set() });
    if (places.size > MAX_PLACES) throw new Error(`The walk passed ${MAX_PLACES} places: the context is not bounded.`);
    return key;
  };

  visit(initialTransition(machine, options.input)[0]);
  // A map yields what is added while it is walked, so this ends when nothing new was found.
  for (const place of places.values()) {
    if (place.snapshot.status !== 'active') continue;
    for (const event of [...options.events, ...timersOf(machine, place.snapshot)]) {
      place.next.add(visit(transition(machine, place.snapshot, event)[0]));
    }
  }
  return places;
}

/** The events of the timers that run in this state. */
export function timersOf(machine: AnyStateMachine, snapshot: AnyMachineSnapshot): EventObject[] {
  const types = getStateNodes(machine.root, snapshot.value).flatMap((node) => [...node.transitions.keys()]);
  return types.filter((type) => /^xstate\.after\.|^deadline\./.test(type)).map((type) => ({ type }));
}

/** The states of the places from which no place with one of these states can be reached. */
export function deadEnds(places: ReadonlyMap<string, Place>, goals: readonly string[]): string[] {
  const alive = new Set([...places].filter(([, place]) => goals.includes(place.state)).map(([key]) => key));
  for (let before = -1; before !== alive.size; ) {
    before = alive.size;
    for (const [key, place] of places) if ([...place.next].some((next) => alive.has(next))) alive.add(key);
  }
  return [...new Set([...places].filter(([key]) => !alive.has(key)).map(([, place]) => place.state))];
}
