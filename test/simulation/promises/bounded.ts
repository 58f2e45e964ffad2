import type { World } from '../world.ts';
import type { Check } from './promises.ts';

/** Timers of a session: deadlines of its machines, of its waits, and the look at the clock. */
const TIMERS_PER_SESSION = 20;
const TIMERS_OF_HOST = 30;

/** P9: there is no more of anything than was allowed. */
export const bounded: Check = (world) => {
  const found: string[] = [];
  const { supervisor, clock } = world.host;
  const { setting, launches, processes } = world;
  const maxSessions = setting.maxSessions + 1;
  const load = supervisor.load();
  if (load.sessions > maxSessions) found.push(`${load.sessions} sessions hold a slot, and ${maxSessions} may`);
  if (load.starting > setting.maxStarting)
    found.push(`${load.starting} sessions start, and ${setting.maxStarting} may`);
  const running = launches.filter(({ pid, host }) => host === world.host.name && processes.isAlive(pid));
  if (running.length > maxSessions) found.push(`${running.length} processes run, and ${maxSessions} may`);
  for (const session of supervisor.list()) {
    const { queued, id, seq } = session.snapshot();
    const waiting = queued.filter((one) => !world.memory.given.has(world.textOf(one)));
    if (waiting.length > setting.maxPromptQueue) world.chronicle(id).crowds.push({ session, seq, waiting });
  }
  found.push(...crowdsOf(world));
  const maxTimers = TIMERS_OF_HOST + TIMERS_PER_SESSION * supervisor.list().length;
  if (clock.openTimers > maxTimers)
    found.push(`${clock.openTimers} timers run for ${supervisor.list().length} sessions`);
  return found;
};

/**
 * Queues that were too long. What a process that is gone was given waits once more, beside what waits for the first time. That
 * it was given is told when the store has it: so a queue is judged when everything is told that was so when it was seen. It
 * never will be in another host or life, where what was not kept is lost.
 */
function crowdsOf(world: World): string[] {
  const most = world.setting.maxPromptQueue;
  const found: string[] = [];
  for (const { id, crowds, delivered, lastSeq } of world.chronicles.values()) {
    const here = crowds.filter(({ session }) => session === world.session(id));
    crowds.splice(0, crowds.length, ...here.filter(({ seq }) => seq > lastSeq));
    for (const { seq, waiting } of here.filter((crowd) => crowd.seq <= lastSeq)) {
      const anew = waiting.filter((one) => (delivered.get(one) ?? seq + 1) > seq);
      if (anew.length > most) found.push(`${anew.length} prompts of ${id} wait, and ${most} may`);
    }
  }
  return found;
}
