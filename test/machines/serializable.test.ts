import { describe, expect, it } from 'vitest';
import {
  BUDGET_EVENTS,
  CHILD_EVENTS,
  GROUP_EVENTS,
  MCP_SERVER_EVENTS,
  PERMISSION_EVENTS,
  SESSION_EVENTS,
  SUPERVISOR_EVENTS,
  WATCHDOG_EVENTS,
} from './event-samples.ts';
import { walk } from './state-walk.ts';
import { SUBJECTS } from './walk-subjects.ts';

const EVENTS = [
  ...Object.values(SESSION_EVENTS),
  ...Object.values(PERMISSION_EVENTS),
  ...Object.values(MCP_SERVER_EVENTS),
  ...Object.values(CHILD_EVENTS),
  ...Object.values(GROUP_EVENTS),
  ...Object.values(BUDGET_EVENTS),
  ...Object.values(SUPERVISOR_EVENTS),
  ...WATCHDOG_EVENTS,
];

describe('events', () => {
  it.each(EVENTS)('are JSON, so that log, replay and dashboard see the same: $type', (event) => {
    expect(JSON.parse(JSON.stringify(event))).toStrictEqual(event);
  });
});

describe('contexts', () => {
  // The walk is mere computation, and slow where the processor is shared.
  const deadline = { timeout: 300_000 };

  it.each(Object.entries(SUBJECTS))('are JSON in every place a machine can get to: %s', deadline, (_, subject) => {
    const { machine, options } = subject;
    const places = [...walk(machine, options).values()];

    expect(places.length).toBeGreaterThan(2);
    for (const { snapshot } of places) {
      expect(JSON.parse(JSON.stringify(snapshot.context))).toStrictEqual(snapshot.context);
    }
  });
});
