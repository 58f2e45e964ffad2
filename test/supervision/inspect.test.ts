import { createInspector, type StatelyInspectionEvent } from '@statelyai/inspect';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { InspectionEvent } from 'xstate';
import { createSupervisor } from '../../src/index.ts';
import { memoryFleet } from './memory-cli.ts';

/** A state of a machine as the inspector sent it, nested states by their outermost name. */
function outermost(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'object' && value !== null ? (Object.keys(value)[0] ?? '') : '';
}

it('shows every machine of a session to the inspector of Stately: actors, events and every state from spawn to end', async () => {
  const heard: StatelyInspectionEvent[] = [];
  const inspector = createInspector({ send: (event) => void heard.push(event) });
  const fleet = memoryFleet((prompt) => prompt.complete('done'));
  const supervisor = createSupervisor({
    spawn: fleet.open,
    reap: 'off',
    inspect: (event) => inspector.inspect.next?.(event as InspectionEvent),
  });
  onTestFinished(() => supervisor.shutdown());
  const session = await supervisor.start({ restart: { type: 'temporary' } });
  await session.prompt('go').result;
  await session.close();

  const statesOf = (machine: string): string[] => {
    // What can be sent is what can be told as JSON.
    const sent: StatelyInspectionEvent[] = JSON.parse(JSON.stringify(heard));
    const ids = new Set(
      sent.flatMap((event) =>
        event.type === '@xstate.actor' && event.definition !== undefined && JSON.parse(event.definition).id === machine
          ? [event.sessionId]
          : [],
      ),
    );
    return sent.flatMap((event) =>
      event.type === '@xstate.snapshot' && ids.has(event.sessionId) && 'value' in event.snapshot
        ? [outermost(event.snapshot.value)]
        : [],
    );
  };
  // The inspector passes on what it heard in a later turn of the event loop.
  await vi.waitFor(() => expect(statesOf('session').at(-1)).toBe('closed'));
  expect([...new Set(statesOf('session'))]).toEqual(['spawning', 'initializing', 'ready', 'closing', 'closed']);
  expect(statesOf('child')).toContain('running');
  expect(statesOf('supervisor')).toContain('running');
  const known = new Set(heard.flatMap((event) => (event.type === '@xstate.actor' ? [event.sessionId] : [])));
  expect(heard.filter((event) => event.type === '@xstate.event' && !known.has(event.sessionId))).toEqual([]);
});
