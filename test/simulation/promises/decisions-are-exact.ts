import type { Settled } from '../chronicle.ts';
import type { World } from '../world.ts';
import type { Check } from './promises.ts';

/** P4: one decision for each question, by who decided it, and the CLI hears that one and no other. */
export const decisionsAreExact: Check = (world) => {
  const found: string[] = [];
  const settled = settlementsOf(world);
  for (const [id, all] of settled) {
    if (all.length > 1) found.push(`${id} was settled ${all.length} times`);
    const [{ outcome, by } = { outcome: '', by: '' }] = all;
    const winner = world.clients.answers.find((answer) => answer.requestId === id && answer.by === by);
    if (outcome === 'allowed' && winner?.behavior !== 'allow')
      found.push(`${id} was allowed by ${by}, who did not say so`);
    if (outcome === 'denied' && winner?.behavior !== 'deny')
      found.push(`${id} was denied by ${by}, who did not say so`);
  }
  for (const [id, answers] of world.memory.answers) {
    const decisions = answers.filter(({ behavior }) => behavior === 'allow' || behavior === 'deny');
    if (decisions.length > 1) found.push(`the CLI heard ${decisions.length} answers to ${id}`);
    const asked = world.clients.answers.filter(({ requestId }) => requestId === id);
    // One that was asked again by the next process is known by the id of the first.
    const isKnown = settled.has(id);
    for (const { behavior } of decisions) {
      if (isKnown && behavior === 'allow' && !asked.some((answer) => answer.behavior === 'allow')) {
        found.push(`the CLI heard that ${id} is allowed, and nobody said so`);
      }
    }
  }
  for (const { requestId, by, call, behavior, mayBeLost } of world.clients.answers) {
    if (call.outcome === 'pending' || mayBeLost === true) continue;
    const [settlement] = settled.get(requestId) ?? [];
    if (call.outcome === 'done' && settlement !== undefined && settlement.by !== by) {
      found.push(`${by} was told that ${requestId} is answered, and it was ${settlement.by}`);
    }
    if (
      call.outcome !== 'done' &&
      call.outcome.code === 'PERMISSION_SETTLED' &&
      settlement?.by === by &&
      behavior !== undefined
    ) {
      found.push(`${by} was told to be late for ${requestId}, and was the first`);
    }
  }
  for (const [command, times] of world.memory.toolRuns) if (times > 1) found.push(`"${command}" ran ${times} times`);
  return found;
};

function settlementsOf(world: World): Map<string, readonly Settled[]> {
  return new Map([...world.chronicles.values(), ...world.former].flatMap(({ settlements }) => [...settlements]));
}
