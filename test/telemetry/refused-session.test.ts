import type { Attributes } from '@opentelemetry/api';
import * as api from '@opentelemetry/api';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { createSupervisor } from '../../src/index.ts';
import { LiveFleet } from '../../src/server/live-fleet.ts';
import { logFleet } from '../../src/telemetry/fleet-log.ts';
import { measureFleet } from '../../src/telemetry/fleet-metrics.ts';
import { traceFleet } from '../../src/telemetry/traces.ts';
import { steeredStore } from '../store/steered-store.ts';
import { memoryFleet } from '../supervision/memory-cli.ts';

it('a session that its store refused is over for everybody who watches the fleet, though no log tells its end (P5, P6)', async () => {
  const store = steeredStore();
  const fleet = memoryFleet(() => {});
  const supervisor = createSupervisor({ store, spawn: fleet.open, reap: 'off' });
  const lines: string[] = [];
  const spans: string[] = [];
  const removed: string[] = [];
  const metrics = measureFleet(supervisor);
  logFleet(supervisor, pino({ base: null }, { write: (line: string) => lines.push(line) }));
  traceFleet(supervisor, namedSpans(spans));
  const live = new LiveFleet(supervisor);
  live.listen({ sessionMoved: () => {}, sessionRemoved: (id) => removed.push(id), told: () => {} });

  const session = await supervisor.start({ id: 'a' });
  const turn = session.prompt('work');
  await turn.accepted;
  store.steer('STORE_CONFLICT');
  await session.close();
  await turn.result;
  store.steer(undefined);

  expect(removed).toEqual(['a']);
  expect(live.summaries()).toEqual([]);
  expect(await metrics.text()).toContain('troupe_session_ends_total{code="STORE_CONFLICT"} 1');
  expect(spans).toContainEqual(expect.stringContaining('STORE_CONFLICT'));
  const told = lines.map((line) => JSON.parse(line)).find(({ msg }) => msg === 'store.refused');
  expect(told).toMatchObject({ level: 40, sessionId: 'a', code: 'STORE_CONFLICT' });
  await supervisor.shutdown();
});

/** Spans that write down what they ended with. */
function namedSpans(ended: string[]) {
  const startSpan = (name: string, { attributes }: { attributes?: Attributes }) => {
    let all = { ...attributes };
    const span = {
      setAttributes: (more: Attributes) => {
        all = { ...all, ...more };
        return span;
      },
      addEvent: () => span,
      setStatus: () => span,
      end: () => ended.push(`${name} ${JSON.stringify(all)}`),
    };
    return span;
  };
  const trace = { getTracer: () => ({ startSpan }), setSpan: (context: api.Context) => context };
  return { context: api.context, trace } as unknown as typeof api;
}
