import { groupOf } from '../team.ts';
import type { Check } from './promises.ts';

const DOWN: ReadonlySet<string> = new Set(['held', 'quarantined', 'stopped']);
const ON_THE_WAY: ReadonlySet<string> = new Set(['starting', 'giving-up', 'holding', 'stopping']);

/** P8 for groups: by their strategy members fall and come back together and in order, within the intensity (SEMANTICS b). */
export const groupsStandTogether: Check = (world, when) => {
  const { team: setting } = world.setting;
  if (setting === undefined) return [];
  const found = [...world.team.contradictions];
  const group = groupOf(world);
  if (group === undefined) return found;
  const living = world.launches.filter(({ host, pid }) => host === world.host.name && world.processes.isAlive(pid));
  for (const { id, status } of group.children()) {
    const isDown = DOWN.has(group.state) || status === 'terminated' || status === 'ended';
    if (group.state === 'running' && when === 'at-rest' && status === 'restarting')
      found.push(`${id} is to be started again, and is not`);
    if (when === 'at-rest' && isDown && living.some(({ sessionId }) => sessionId === id))
      found.push(`${id} has a process, and its group is ${group.state} and has it as ${status}`);
  }
  if (when === 'at-rest' && ON_THE_WAY.has(group.state))
    found.push(`the group is ${group.state} although everything is at rest`);
  return found;
};
