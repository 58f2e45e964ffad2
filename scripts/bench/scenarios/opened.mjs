import { performance } from 'node:perf_hooks';
import { LoopWatch } from '../loop-watch.mjs';
import { cpuUs } from '../own-use.mjs';
import { Fleet } from './fleet.mjs';

const PIECE_BYTES = 10 * 2 ** 20;

/** Opens so many sessions at once, in a host that holds so many megabytes of Buffers: CPU, and how long the event loop stood still. */
export async function run({ sessions, heldMb = 0, ...spec }) {
  const held = Array.from({ length: (heldMb * 2 ** 20) / PIECE_BYTES }, () => Buffer.alloc(PIECE_BYTES, 1));
  const fleet = await Fleet.open({ ...spec, sessions: 1, room: sessions + 1 });
  const watch = new LoopWatch();
  const [cpu, begin] = [cpuUs(), performance.now()];
  await Promise.all(Array.from({ length: sessions }, () => fleet.start()));
  const [usedUs, ms] = [cpuUs() - cpu, performance.now() - begin];
  watch.stop();
  await fleet.close();
  return {
    cpuMs: usedUs / 1e3,
    wallMs: ms,
    longestStallMs: watch.longestMs,
    heldMb: (held.length * PIECE_BYTES) / 2 ** 20,
  };
}
