import { setTimeout as wait } from 'node:timers/promises';
import { residentBytes } from '../own-use.mjs';
import { Fleet } from './fleet.mjs';

const SETTLE_MS = 500;

/** What a session takes that does nothing: its share of the heap after a collection, and of resident memory. */
export async function run({ sessions, ...spec }) {
  const fleet = await Fleet.open({ ...spec, kind: 'raw', sessions: 1, room: sessions + 1 });
  await fleet.turn(() => 'lines=1000', 1_000);
  const before = await taken();
  await fleet.add(sessions);
  const after = await taken();
  await fleet.close();
  return {
    heapKb: (after.heap - before.heap) / 1_024 / sessions,
    residentKb: (after.resident - before.resident) / 1_024 / sessions,
  };
}

async function taken() {
  await wait(SETTLE_MS);
  for (let time = 0; time < 3; time += 1) globalThis.gc();
  return { heap: process.memoryUsage().heapUsed, resident: residentBytes() };
}
