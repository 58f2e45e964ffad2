import { cpuUs } from '../own-use.mjs';
import { Fleet } from './fleet.mjs';

const WARM = 5;
const CYCLES = 15;

/** A session is added to so many others and removed again: CPU of each. */
export async function run({ sessions, ...spec }) {
  const fleet = await Fleet.open({ ...spec, kind: 'raw', room: sessions + 1 });
  await fleet.add(sessions - 1, 16);
  const used = { add: 0, remove: 0 };
  for (let cycle = 0; cycle < WARM + CYCLES; cycle += 1) {
    const first = cpuUs();
    const session = await fleet.start();
    const second = cpuUs();
    await session.close();
    const third = cpuUs();
    fleet.members.pop();
    if (cycle < WARM) continue;
    used.add += second - first;
    used.remove += third - second;
  }
  await fleet.close();
  return { addMs: used.add / 1e3 / CYCLES, removeMs: used.remove / 1e3 / CYCLES };
}
