import { performance } from 'node:perf_hooks';
import { cpuUs } from '../own-use.mjs';
import { Fleet } from './fleet.mjs';

/** Turns of token lines in every session at once, after a shorter one that warms up: CPU per line. */
export async function run({ lines, turns = 1, words = '', ...spec }) {
  const fleet = await Fleet.open(spec);
  const said = (count) => `lines=${count} ${words}`;
  const warm = Math.max(200, Math.ceil(lines / 10));
  for (let turn = 0; turn < Math.min(turns, 5); turn += 1) await fleet.turn(() => said(warm), warm);
  const [cpu, begin] = [cpuUs(), performance.now()];
  for (let turn = 0; turn < turns; turn += 1) await fleet.turn(() => said(lines), lines);
  const [usedUs, ms] = [cpuUs() - cpu, performance.now() - begin];
  fleet.requireComplete();
  await fleet.close();
  const total = lines * turns * fleet.members.length;
  return { cpuUsPerLine: usedUs / total, linesPerSecond: (total * 1e3) / ms };
}
