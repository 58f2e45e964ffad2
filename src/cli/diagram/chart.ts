import type { AnyStateMachine, AnyStateNode } from 'xstate';

/** A state as every format shows it. */
export interface ChartState {
  readonly id: string;
  readonly key: string;
  readonly kind: 'atomic' | 'compound' | 'parallel' | 'final' | 'history';
  readonly initial?: string;
  readonly states: readonly ChartState[];
  readonly transitions: readonly ChartTransition[];
}

export interface ChartTransition {
  /** Of the event; `after <delay>` for a delay, empty for what happens at once. */
  readonly event: string;
  readonly guard?: string;
  /** Empty for one that stays where it is. */
  readonly targets: readonly string[];
}

/** The states and transitions of a machine, without what they do. */
export function chartOf(machine: AnyStateMachine): ChartState {
  return stateOf(machine.root);
}

function stateOf(node: AnyStateNode): ChartState {
  const initial = node.initial?.target[0]?.id;
  return {
    id: node.id,
    key: node.key,
    kind: node.type,
    ...(initial === undefined ? {} : { initial }),
    states: Object.values(node.states).map(stateOf),
    transitions: [...[...node.transitions.values()].flat(), ...(node.always ?? [])].map(
      ({ eventType, guard, target }) => {
        const name = guardName(guard);
        return {
          event: eventName(eventType),
          ...(name === undefined ? {} : { guard: name }),
          targets: (target ?? []).map(({ id }) => id),
        };
      },
    ),
  };
}

function eventName(type: string): string {
  const delay = /^xstate\.after\.(.+?)\./.exec(type)?.[1];
  if (delay !== undefined) return `after ${delay}`;
  const invoked = /^xstate\.(done|error)\.(state|actor)\./.exec(type);
  return invoked?.[1] ?? type;
}

function guardName(guard: unknown): string | undefined {
  if (typeof guard === 'string') return guard;
  const isNamed = typeof guard === 'object' && guard !== null && 'type' in guard && typeof guard.type === 'string';
  return isNamed ? String(guard.type) : undefined;
}
