import { type Actor, createActor } from 'xstate';
import type { PermissionInput } from '../../machines/permission/permission.context.ts';
import type { Settlement } from '../../machines/permission/permission.events.ts';
import type { permissionMachine } from '../../machines/permission/permission.machine.ts';
import type { Clock } from '../clock.ts';
import type { PermissionRequest } from './permission-request.ts';

/** A question that waits for its answer. */
export interface OpenQuestion {
  readonly request: PermissionRequest;
  readonly actor: Actor<typeof permissionMachine>;
  readonly settled: Promise<Settlement>;
  /** Known for one of a former host, whose text may be less than what was asked. */
  readonly digest: string | undefined;
  /** The CLI's id of the request; undefined while no process asks. */
  askedAs: string | undefined;
  /** Resolves when a process asks it. */
  readonly asked: Promise<void>;
  readonly markAsked: () => void;
}

/** What a question is made of. Its machine is still to be started. */
export function openQuestion(options: {
  readonly request: PermissionRequest;
  readonly digest: string | undefined;
  readonly machine: typeof permissionMachine;
  readonly input: PermissionInput;
  readonly clock: Clock;
  readonly inspect: ((event: unknown) => void) | undefined;
  /** Called in the moment of the settlement, before anybody else knows of it. */
  readonly onSettled: (settlement: Settlement) => void;
}): OpenQuestion {
  const { request, digest, machine, input, clock, inspect, onSettled } = options;
  const actor = createActor(machine, { input, clock, ...(inspect === undefined ? {} : { inspect }) });
  const settled = new Promise<Settlement>((resolve) => {
    actor.subscribe((snapshot) => {
      if (snapshot.status !== 'done') return;
      onSettled(snapshot.output);
      resolve(snapshot.output);
    });
  });
  let markAsked = () => {};
  const asked = new Promise<void>((resolve) => {
    markAsked = resolve;
  });
  return { request, actor, settled, digest, askedAs: undefined, asked, markAsked };
}
