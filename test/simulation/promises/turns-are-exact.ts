import type { Check } from './promises.ts';

/** P3: a turn ends with what the CLI said about this very prompt, or with a loss or a stop that somebody knows of. */
export const turnsAreExact: Check = (world) => {
  const found: string[] = [];
  for (const { text, results, session } of world.clients.prompts) {
    const said = world.memory.traces.get(text)?.said ?? [];
    for (const { outcome, text: answer, error } of results) {
      const isOwn = answer === undefined || answer.split(/ and |answer to /).includes(text);
      if (!isOwn) found.push(`"${text}" was answered with "${answer}"`);
      const isSaid = said.includes('completed') || said.includes('done');
      if (outcome === 'completed' && !isSaid)
        found.push(`"${text}" counts as completed, and the CLI said: ${said.join(', ') || 'nothing'}`);
      if (outcome === 'failed' && !said.includes('failed') && error === undefined)
        found.push(`"${text}" failed without a reason`);
      if (outcome === 'failed' && error?.code === 'TURN_FAILED' && !said.includes('failed'))
        found.push(`"${text}" failed, and the CLI said: ${said.join(', ') || 'nothing'}`);
      const isStopped = world.clients.stopped.has(session) || error !== undefined || world.isOnTheWayDown;
      if (outcome === 'interrupted' && !isStopped) found.push(`"${text}" was interrupted by nobody`);
    }
  }
  return found;
};
