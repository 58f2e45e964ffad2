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
    const { queued, id } = session.snapshot();
    // What a process that is gone was given waits once more, beside what waits for the first time.
    const { delivered } = world.chronicle(id);
    const waiting = queued.filter((one) => !delivered.has(one) && !world.memory.given.has(world.textOf(one)));
    if (waiting.length > setting.maxPromptQueue)
      found.push(`${waiting.length} prompts of ${id} wait, and ${setting.maxPromptQueue} may`);
  }
  const maxTimers = TIMERS_OF_HOST + TIMERS_PER_SESSION * supervisor.list().length;
  if (clock.openTimers > maxTimers)
    found.push(`${clock.openTimers} timers run for ${supervisor.list().length} sessions`);
  return found;
};
