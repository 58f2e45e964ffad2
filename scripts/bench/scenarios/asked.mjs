import { cpuUs } from '../own-use.mjs';
import { picked } from '../verdict.mjs';
import { Fleet } from './fleet.mjs';

/** Round trips between the CLI and its host, one after another in each session, as the CLI sees them. `what`: asks, hooks or tools. */
export async function run({ what, count, warm, ...spec }) {
  const fleet = await Fleet.open({
    ...spec,
    kind: 'raw',
    hooks: what === 'hooks',
    ...(what === 'tools' ? { server: 'calc' } : {}),
  });
  await fleet.turn(() => `${what}=${warm}`);
  const cpu = cpuUs();
  const texts = await fleet.turn(() => `${what}=${count}`);
  const usedUs = cpuUs() - cpu;
  await fleet.close();
  const ofAll = (name) => picked(texts.map((text) => Number(new RegExp(`${name}=(\\d+)`).exec(text)[1]) / 1e3));
  return { p50Us: ofAll('p50'), p99Us: ofAll('p99'), cpuUsPerTrip: usedUs / (count * fleet.members.length) };
}
