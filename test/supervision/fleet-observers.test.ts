import { expect, it } from 'vitest';
import { EventLog } from '../../src/store/event-log.ts';
import type { EventRun } from '../../src/store/event-run.ts';
import type { FleetEvent } from '../../src/supervision/fleet-event.ts';
import { FleetObservers, hearingRuns } from '../../src/supervision/fleet-observers.ts';
import { createSupervisor } from '../../src/supervision/supervisor.ts';
import { measureFleet } from '../../src/telemetry/fleet-metrics.ts';
import { runOf } from '../server/runs.ts';

const TEXTS = ['a', 'b', 'c'];
const LIMITS = { maxItems: 100, maxBytes: 100_000, subscriber: { maxItems: 100, maxBytes: 100_000 } };

it('a run of lines is heard whole by who hears runs, and event by event by everybody else (P6)', () => {
  const { observers, told } = fleet();
  const runs: [string, EventRun][] = [];
  const singles: FleetEvent[] = [];
  const fromRunHearer: FleetEvent[] = [];
  observers.add(
    'event',
    hearingRuns(
      (event) => fromRunHearer.push(event),
      (id, run) => runs.push([id, run]),
    ),
  );
  observers.add('event', (event) => singles.push(event));

  told.appendRun(1, runOf(1, TEXTS).lines);

  expect(runs.map(([id, { firstSeq, lastSeq }]) => [id, firstSeq, lastSeq])).toEqual([['one', 1, 3]]);
  expect(fromRunHearer).toEqual([]);
  expect(singles.map((event) => 'seq' in event && [event.sessionId, event.seq])).toEqual([
    ['one', 1],
    ['one', 2],
    ['one', 3],
  ]);
});

it('who throws at a run is logged and stops nobody (R100)', () => {
  const { observers, told, complaints } = fleet();
  const heard: number[] = [];
  const fail = () => {
    throw new Error('no');
  };
  observers.add(
    'event',
    hearingRuns(() => {}, fail),
  );
  observers.add(
    'event',
    hearingRuns(
      () => {},
      (_, { count }) => heard.push(count),
    ),
  );

  told.appendRun(1, runOf(1, TEXTS).lines);

  expect(heard).toEqual([3]);
  expect(complaints).toHaveLength(1);
});

it('the lines of a run are counted as if each had come by itself', async () => {
  const { observers, told } = fleet();
  const supervisor = createSupervisor();
  const { list, session, inbox, load } = {
    list: () => supervisor.list(),
    session: (id: string) => supervisor.session(id),
    inbox: () => supervisor.inbox(),
    load: () => supervisor.load(),
  };
  const whole = measureFleet({ on: (kind, hear) => observers.add(kind, hear), list, session, inbox, load });
  // Whoever wraps a listener hears each event.
  const single = measureFleet({
    on: (kind, hear) => observers.add(kind, (event) => hear(event)),
    list,
    session,
    inbox,
    load,
  });

  told.appendRun(1, runOf(1, [...TEXTS, 'é漢🦊']).lines);

  const counted = async (metrics: typeof whole) =>
    (await metrics.text()).split('\n').filter((line) => line.startsWith('troupe_message'));
  expect(await counted(whole)).toEqual(await counted(single));
  expect(await counted(whole)).toContain('troupe_messages_total{type="stream_event"} 4');
  whole.close();
  single.close();
  await supervisor.shutdown();
});

function fleet() {
  const complaints: unknown[] = [];
  const quiet = () => {};
  const logger = { error: (what: unknown) => complaints.push(what), warn: quiet, info: quiet, debug: quiet };
  const observers = new FleetObservers(logger);
  const told = new EventLog(LIMITS, () => 0);
  observers.follow('one', told);
  return { observers, told, complaints };
}
