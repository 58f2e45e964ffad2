import type { Check } from './promises.ts';

/** P2: what was accepted runs once, and ends in exactly one way. */
export const promptsRunOnce: Check = (world, when) => {
  const { memory, clients, setting, chronicles, former } = world;
  const found: string[] = [];
  const mayRepeat = setting.onPromptLost === 'retry';
  for (const [text, { said, wires }] of memory.traces) {
    // Whoever was asked may have said that it is to begin anew, whatever it has done already.
    const times = 1 + (clients.retries.get(text) ?? 0);
    const ends = said.filter((how) => how === 'completed' || how === 'failed');
    if (ends.length > times && !mayRepeat) found.push(`"${text}" was executed ${ends.length} times`);
    if (wires.size > times && !mayRepeat) found.push(`"${text}" was sent under ${wires.size} ids`);
  }
  const ends = new Map([...chronicles.values(), ...former].flatMap(({ promptEnds }) => [...promptEnds]));
  for (const prompt of clients.prompts) {
    const logged = ends.get(prompt.id) ?? [];
    if (logged.length > 1) found.push(`"${prompt.text}" ended ${logged.length} times: ${logged.join(', ')}`);
    const outcomes = new Set([...logged, ...prompt.results.map(({ outcome }) => outcome)]);
    if (outcomes.size > 1) found.push(`"${prompt.text}" ended as ${[...outcomes].join(' and as ')}`);
    if (mayRepeat && logged[0] === 'lost') found.push(`"${prompt.text}" is lost although it may be begun anew`);
    if (when === 'always' || prompt.acceptance !== 'accepted') continue;
    // At rest a session may be set aside or parked; who waits in it is told so by its state.
    const state = world.session(prompt.session)?.state;
    const isAside = state === 'quarantined' || state === 'parked' || state === 'held';
    const isDue = when === 'at-the-end' ? !world.setting.hasStore || logged.length > 0 : !isAside;
    if (isDue && logged.length === 0 && chronicleOf(world, prompt.session)) {
      found.push(`"${prompt.text}" was accepted and never ended (its session is ${state ?? 'gone'})`);
    }
  }
  return found;
};

function chronicleOf(world: Parameters<Check>[0], id: string): boolean {
  return world.chronicles.has(id);
}
