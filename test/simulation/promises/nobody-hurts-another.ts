import { BYSTANDER } from '../script.ts';
import type { Check } from './promises.ts';

/** P10: what a session does stays in it, and nothing of it throws where nobody catches. */
export const nobodyHurtsAnother: Check = (world, when) => {
  const found = [...world.surprises];
  for (const [id, { lines }] of world.chronicles) {
    for (const name of [...lines.values()].flat()) {
      const of = name.slice(0, name.indexOf(':'));
      if (of !== id) found.push(`the log of ${id} holds a line of ${of}`);
    }
  }
  if (when === 'at-the-end') return found;
  const isStoreUsed = world.setting.hasStore && world.store.hasFailed;
  for (const { session, text, results } of world.clients.prompts) {
    if (session !== BYSTANDER) continue;
    for (const { outcome, error } of results) {
      // Whoever waits for a slot that others hold is refused when the time for that is over.
      const isExcused = world.hosts > 1 || world.isOnTheWayDown || isStoreUsed || error?.code === 'AT_CAPACITY';
      if (outcome !== 'completed' && !isExcused)
        found.push(`"${text}" of ${BYSTANDER} ended as ${outcome} (${error?.code ?? 'no error'})`);
    }
  }
  return found;
};
