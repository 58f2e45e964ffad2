import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { cpuUs } from '../own-use.mjs';
import { Fleet } from './fleet.mjs';

const CLIENTS = fileURLToPath(new URL('../fan-clients.mjs', import.meta.url));

/** One session with so many clients, in another process: CPU of the server for each line that one of them was given. */
export async function run({ way, clients, rate, burst, seconds, ...spec }) {
  const fleet = await Fleet.open(spec);
  const [member] = fleet.members;
  const at = await (fleet.host.serve?.() ??
    (await import('../adapters/served.mjs')).served(fleet.host.supervisor, member.id));
  const readers = fork(CLIENTS, [JSON.stringify({ way, clients, at })]);
  const gone = once(readers, 'exit').then(([code]) => Promise.reject(new Error(`The clients ended with ${code}.`)));
  gone.catch(() => {});
  const told = async () => (await Promise.race([once(readers, 'message'), gone]))[0];
  await told();
  const turn = async (lines) => {
    readers.send({ lines });
    await told();
    const done = told();
    await fleet.one(member, `lines=${lines} rate=${rate} burst=${burst} stamp=1`, lines);
    return done;
  };
  // As much as is measured: what runs once for a chunk is compiled only after some hundred of them.
  await turn(rate * seconds);
  const cpu = cpuUs();
  const { delivered, p50Ms, p99Ms } = await turn(rate * seconds);
  const usedUs = cpuUs() - cpu;
  readers.disconnect();
  await fleet.close();
  return { cpuUsPerLine: usedUs / delivered, p50Ms, p99Ms };
}
