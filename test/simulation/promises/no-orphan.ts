import type { Check } from './promises.ts';

/** P1: of a process that is over nothing is left, whatever it had started; and no stranger is ever hurt. */
export const noOrphan: Check = (world, when) => {
  const { processes, launches, host, chronicles } = world;
  const found: string[] = [];
  if (processes.strangersAlive < 3) found.push('a process that is no one of ours was ended');
  for (const [id, { view }] of chronicles) {
    const of = launches.filter((launch) => launch.sessionId === id && launch.host === host.name);
    const current = of.at(-1);
    const living = of.filter(({ pid }) => processes.isAlive(pid));
    if (living.length > 1) found.push(`${id} has ${living.length} processes at once`);
    for (const { plan, number } of of) {
      const isOver = view.ended !== undefined || number < (current?.number ?? 0);
      const left = isOver && view.epoch >= number ? processes.marked(plan.mark) : [];
      if (left.length > 0) found.push(`${id}: ${left.length} processes of its incarnation ${number} outlived it`);
    }
  }
  for (const launch of launches) {
    if (launch.host !== host.name && processes.marked(launch.plan.mark).length > 0) {
      found.push(`${launch.sessionId}: processes of ${launch.host}, which is gone, were left`);
    }
  }
  if (when === 'at-the-end' && processes.ours().some(({ mark }) => mark !== undefined)) {
    found.push('processes are left after the shutdown');
  }
  return found;
};
