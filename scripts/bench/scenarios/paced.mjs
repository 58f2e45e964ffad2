import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { cpuUs } from '../own-use.mjs';
import { Stamps } from '../stamps.mjs';
import { Fleet } from './fleet.mjs';

const SETTLE_SECONDS = 2;

/** Sessions that each write so many lines a second, one at a time: the share of a core, and how long a line is under way. */
export async function run({ rate, seconds, ...spec }) {
  const stamps = new Stamps();
  const fleet = await Fleet.open({ ...spec, stamps });
  const spread = (index) => Math.floor((index * (1_000 / rate)) / fleet.members.length);
  const turn = (lines) =>
    fleet.turn((index) => `lines=${lines} rate=${rate} write=0 stamp=1 phase=${spread(index)}`, lines);
  await turn(rate);
  const ended = turn(rate * (seconds + SETTLE_SECONDS));
  // What is measured is the stream, not that all begin at once.
  await wait(SETTLE_SECONDS * 1_000);
  stamps.reset();
  const [cpu, begin] = [cpuUs(), performance.now()];
  await ended;
  const share = (cpuUs() - cpu) / 1e3 / (performance.now() - begin);
  fleet.requireComplete();
  await fleet.close();
  return { coreShare: share, p50Us: stamps.quantile(0.5), p99Us: stamps.quantile(0.99), stamped: stamps.count };
}
