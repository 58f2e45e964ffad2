import type { Chronicle } from '../chronicle.ts';
import type { World } from '../world.ts';
import type { Check } from './promises.ts';

/** P7: what was seen is so for ever, and the events alone tell the state. */
export const theLogIsTheTruth: Check = (world, when) => {
  const found: string[] = [];
  for (const chronicle of [...world.chronicles.values(), ...world.former]) found.push(...chronicle.contradictions);
  for (const { session, got, host, chronicle } of world.clients.readers) {
    if (host !== world.host.name) continue;
    for (const one of got) {
      if (!('seq' in one)) continue;
      const seen = chronicle.at(one.seq);
      if (seen !== undefined && seen.digest !== one.digest)
        found.push(`a reader of ${session} got another event ${one.seq}`);
      if (seen === undefined) found.push(`a reader of ${session} got event ${one.seq}, which was never told`);
    }
  }
  if (when !== 'at-the-end')
    for (const chronicle of world.chronicles.values()) found.push(...differences(world, chronicle));
  return found;
};

function differences(world: World, { id, view, lastSeq }: Chronicle): string[] {
  const session = world.session(id);
  if (session === undefined) return [];
  const snapshot = session.snapshot();
  if (snapshot.seq !== lastSeq) {
    return world.setting.hasStore || snapshot.seq < lastSeq ? [] : [`${id}: event ${snapshot.seq} was never told`];
  }
  const pairs: [string, unknown, unknown][] = [
    ['state', view.state, session.state],
    ['pid', view.pid, session.pid],
    ['conversation', view.conversationId, session.conversationId],
    ['questions', view.permissions.map((one) => one.id), session.permissions.pending().map((one) => one.id)],
    [
      'prompts',
      view.prompts
        .filter(({ state }) => state !== 'ended')
        .map((one) => one.id)
        .toSorted(),
      [...snapshot.outstanding, ...snapshot.queued].toSorted(),
    ],
  ];
  return pairs.flatMap(([what, told, is]) => {
    const [one, other] = [JSON.stringify(told), JSON.stringify(is)];
    return one === other ? [] : [`${id}: by its events its ${what} is ${one}, and it is ${other} (event ${lastSeq})`];
  });
}
