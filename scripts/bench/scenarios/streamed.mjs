import { performance } from 'node:perf_hooks';
import { cpuUs } from '../own-use.mjs';
import { Fleet } from './fleet.mjs';

/**
 * Turns of token lines in every session at once: CPU per line. Before, the same is done as often as `warm` says, because what runs
 * once for a chunk or a turn is compiled only after thousands of them.
 */
export async function run({ lines, turns = 1, warm = 1, words = '', ...spec }) {
  const fleet = await Fleet.open(spec);
  for (let turn = 0; turn < turns * warm; turn += 1) await fleet.turn(() => `lines=${lines} ${words}`, lines);
  const [cpu, begin] = [cpuUs(), performance.now()];
  for (let turn = 0; turn < turns; turn += 1) await fleet.turn(() => `lines=${lines} ${words}`, lines);
  const [usedUs, ms] = [cpuUs() - cpu, performance.now() - begin];
  fleet.requireComplete();
  await fleet.close();
  const total = lines * turns * fleet.members.length;
  return { cpuUsPerLine: usedUs / total, linesPerSecond: (total * 1e3) / ms };
}
