import { cpuUs } from '../own-use.mjs';
import { Fleet } from './fleet.mjs';

/** One line with a tool result of so many bytes, after shorter ones: CPU. */
export async function run({ bytes, ...spec }) {
  const fleet = await Fleet.open({ ...spec, kind: 'raw' });
  for (let turn = 0; turn < 20; turn += 1) await fleet.turn(() => 'long=1000000', 1);
  const cpu = cpuUs();
  await fleet.turn(() => `long=${bytes}`, 1);
  const cpuMs = (cpuUs() - cpu) / 1e3;
  await fleet.close();
  return { cpuMs };
}
