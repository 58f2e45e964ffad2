import { flagValue } from '../simulated-spawn.ts';
import type { Check } from './promises.ts';

/** P8: the next process goes on with the same conversation and the settings that were made, and restarts are counted. */
export const restartMeansResume: Check = (world) => {
  const found: string[] = [];
  for (const { launch, known } of world.notes) {
    if (known === undefined) continue;
    const { sessionId, number, resumes, plan } = launch;
    if (known.conversationId !== undefined && resumes !== known.conversationId) {
      found.push(
        `${sessionId}: incarnation ${number} resumes ${resumes ?? 'nothing'}, and its conversation is ${known.conversationId}`,
      );
    }
    const model = flagValue(plan.args, 'model');
    if (typeof known.model === 'string' && model !== known.model) {
      found.push(
        `${sessionId}: incarnation ${number} has the model ${model ?? 'of nobody'}, and ${known.model} was set`,
      );
    }
  }
  for (const [id, { restarts }] of world.chronicles) {
    for (const { restarts: count, cause } of restarts) {
      if (count > world.setting.intensity)
        found.push(`${id}: restart ${count} after ${cause.ending}, and ${world.setting.intensity} are allowed`);
    }
  }
  return found;
};
