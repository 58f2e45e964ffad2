import { play } from './play.ts';
import { BYSTANDER } from './script.ts';
import type { World } from './world.ts';
import { settled } from './world-clock.ts';

/** So often the world is brought nearer to rest, before what still waits counts as hanging. */
const ROUNDS_TO_REST = 40;
const ROUND_MS = 6_000;
/** After some rounds only long deadlines are left, and of those perhaps one after the other. */
const LATE_ROUND_MS = 60_000;
const EARLY_ROUNDS = 8;
/** A turn that a CLI has to end, and those that wait behind it. */
const MAX_ACTS = 20;

/** Nothing fails any more, every CLI does its work, every question is answered, and time passes. */
export async function bringToRest(world: World): Promise<void> {
  world.faults.disarm();
  world.store.release();
  for (let round = 0; round < ROUNDS_TO_REST; round += 1) {
    await settled();
    await workOn(world);
    for (const { sessionId, id } of world.host.supervisor.inbox()) {
      const session = world.session(sessionId);
      const by = 'at-rest';
      const call = world.ask('answer', sessionId, 30_000, () =>
        session?.permissions.answer(id, { behavior: 'deny' }, { by }),
      );
      world.clients.answers.push({ requestId: id, session: sessionId, behavior: 'deny', by, call });
    }
    for (const session of world.host.supervisor.list()) {
      for (const { id } of session.doubts.pending()) session.doubts.resolve(id, 'fail');
    }
    await settled();
    makeRoom(world);
    await settled();
    if (round > 1 && isAtRest(world)) return;
    await world.pass(round < EARLY_ROUNDS ? ROUND_MS : LATE_ROUND_MS);
  }
}

/** The session that nothing is about is used as well. */
export async function useBystander(world: World): Promise<void> {
  await world.startBystander();
  await play(world, { do: 'prompt', session: BYSTANDER, onBusy: 'enqueue' }, 0);
  await world.finishBystander();
}

/**
 * Where nothing sends an idle session to sleep, one that was taken up waits as long as they idle: somebody makes room. Whom its
 * team needs is never sent to sleep for others.
 */
function makeRoom({ host, setting }: World): void {
  const sleepByThemselves = setting.evictIdle || setting.idleMs < Number.MAX_SAFE_INTEGER;
  const isMadeAnyway = sleepByThemselves && setting.team === undefined;
  const sessions = host.supervisor.list();
  if (isMadeAnyway || !sessions.some(({ state }) => state === 'waiting')) return;
  for (const session of sessions) if (session.state === 'ready') session.hibernate().catch(() => {});
}

async function workOn(world: World): Promise<void> {
  for (const { cli } of world.launches) {
    cli.act('flush');
    for (let times = 0; times < MAX_ACTS; times += 1) {
      const act = cli.nextAct;
      if (act === undefined) break;
      cli.act(act);
      cli.act('flush');
      await settled();
    }
  }
}

function isAtRest(world: World): boolean {
  const { prompts, calls } = world.clients;
  const isWaiting = calls.some((call) => call.outcome === 'pending' && call.host === world.host.name);
  return (
    !isWaiting && prompts.every((prompt) => prompt.results.length > 0 || world.session(prompt.session) === undefined)
  );
}
