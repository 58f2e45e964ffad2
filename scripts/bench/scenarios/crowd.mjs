import { setTimeout as wait } from 'node:timers/promises';
import { LoopWatch } from '../loop-watch.mjs';
import { cpuUs } from '../own-use.mjs';
import { Fleet } from './fleet.mjs';

/** How often the heap is looked at, by the quarter of the time. */
const LOOKS = 4;

/** Many sessions that write for a long time: how late the event loop is, and what the heap is at the end of each quarter. */
export async function run({ rate, seconds, sessions, ...spec }) {
  const fleet = await Fleet.open({ ...spec, kind: 'raw', sessions: 0, room: sessions });
  await fleet.add(sessions, 16);
  const lines = rate * seconds;
  const spread = (index) => Math.floor((index * (1_000 / rate)) / sessions);
  const ended = fleet.turn((index) => `lines=${lines} rate=${rate} write=0 phase=${spread(index)}`, lines);
  const watch = new LoopWatch();
  const heaps = [];
  const late = [];
  // The first second is that of a thousand prompts at once.
  await wait(1_000);
  watch.reset();
  const cpu = cpuUs();
  for (let look = 0; look < LOOKS; look += 1) {
    await wait(((seconds - 2) * 1e3) / LOOKS);
    late.push(watch.quantileMs(0.99));
    globalThis.gc();
    heaps.push(process.memoryUsage().heapUsed / 2 ** 20);
    watch.reset();
  }
  const share = (cpuUs() - cpu) / 1e6 / (seconds - 2);
  watch.stop();
  await ended;
  await fleet.close();
  return { loopP99Ms: Math.max(...late), heapMb: heaps.at(-1), firstHeapMb: heaps[0], coreShare: share };
}
