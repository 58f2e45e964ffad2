import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { cpuUs, residentBytes } from '../own-use.mjs';
import { Fleet } from './fleet.mjs';

const LEAST_PAUSE_MS = 1_500;
const LONGEST_PAUSE_MS = 30_000;
const LOOK_MS = 100;
/** CPU within one look, below which nothing more is read. */
const QUIET_US = 10_000;
const QUIET_LOOKS = 5;

/** A subscriber that stops taking until all is written, or the CLI is made to wait, and then takes everything. */
export async function run({ lines, ...spec }) {
  const fleet = await Fleet.open({ ...spec, kind: 'raw' });
  const [member] = fleet.members;
  await fleet.turn(() => 'lines=20000', 20_000);
  const [before, cpu] = [residentBytes(), cpuUs()];
  let goOn;
  member.pause = new Promise((resolve) => {
    goOn = resolve;
  });
  const ended = fleet.one(member, `lines=${lines}`, lines);
  const most = await quiet();
  const begin = performance.now();
  member.pause = undefined;
  goOn();
  await ended;
  const [drainMs, used] = [performance.now() - begin, cpuUs()];
  await fleet.close();
  return {
    residentMb: (most - before) / 2 ** 20,
    drainMs,
    turnUsPerLine: (used - cpu) / lines,
    missedShare: member.missed / lines,
  };
}

/** Resolves when this process has nothing more to do, with the most memory it had until then. */
async function quiet() {
  const begin = performance.now();
  let most = 0;
  let quietLooks = 0;
  let last = cpuUs();
  while (quietLooks < QUIET_LOOKS || performance.now() - begin < LEAST_PAUSE_MS) {
    if (performance.now() - begin > LONGEST_PAUSE_MS) break;
    await wait(LOOK_MS);
    const now = cpuUs();
    quietLooks = now - last < QUIET_US ? quietLooks + 1 : 0;
    last = now;
    most = Math.max(most, residentBytes());
  }
  return most;
}
