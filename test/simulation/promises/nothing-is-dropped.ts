import type { Reader } from '../clients.ts';
import type { World } from '../world.ts';
import type { Check } from './promises.ts';

/** P6: every line of a CLI is in the log, in order; a reader gets every event or is told which it missed; refusals say why. */
export const nothingIsDropped: Check = (world) => {
  const found: string[] = [];
  for (const { name, session, outcome } of world.clients.calls) {
    if (typeof outcome === 'object' && !outcome.isTyped)
      found.push(`${name} of ${session} was refused without a code: ${outcome.code}`);
  }
  for (const reader of world.clients.readers) found.push(...holesOf(reader));
  found.push(...missingLines(world));
  return found;
};

function holesOf(reader: Reader): string[] {
  const found: string[] = [];
  for (; reader.checked < reader.got.length; reader.checked += 1) {
    const one = reader.got[reader.checked];
    if (one === undefined) break;
    if ('seq' in one) {
      if (one.seq !== reader.lastSeq + 1)
        found.push(`a reader of ${reader.session} got ${one.seq} after ${reader.lastSeq}`);
      reader.lastSeq = one.seq;
    } else if (one.notice.type === 'subscriber.lagged') reader.lastSeq = Math.max(reader.lastSeq, one.notice.to);
    else if (one.notice.type === 'log.truncated') reader.lastSeq = Math.max(reader.lastSeq, one.notice.firstSeq - 1);
  }
  return found;
}

/** What each process said and what stands in the log of its epoch: the same from the first line on, without a hole. */
function missingLines(world: World): string[] {
  const found: string[] = [];
  for (const { sessionId, number, cli, host } of world.launches) {
    if (host !== world.host.name) continue;
    const chronicle = world.chronicles.get(sessionId);
    if (chronicle === undefined) continue;
    const logged = (chronicle.lines.get(number) ?? []).filter((name) => name.startsWith(`${cli.body.mark}-l`));
    const hole = logged.findIndex((name, index) => name !== cli.said[index]);
    if (hole >= 0)
      found.push(
        `${sessionId}: line ${hole + 1} of incarnation ${number} is ${logged[hole]}, and should be ${cli.said[hole]}`,
      );
    const session = world.session(sessionId);
    const isHeard =
      !cli.isGone && session?.pid !== undefined && session.incarnation === number && session.state !== 'closing';
    const isAllThere = session?.snapshot().seq === chronicle.lastSeq;
    if (isHeard && isAllThere && !cli.body.hasHeldBack() && logged.length < cli.said.length) {
      found.push(`${sessionId}: ${cli.said.length - logged.length} lines of incarnation ${number} are not in the log`);
    }
  }
  return found;
}
