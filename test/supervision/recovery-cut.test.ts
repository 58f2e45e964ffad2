import { describe, expect, it } from 'vitest';
import { TroupeError } from '../../src/errors.ts';
import type { Explanation } from '../../src/session/explanation.ts';
import { MemoryStore } from '../../src/store/memory-store.ts';
import type { Change, Store } from '../../src/store/store.ts';
import { createSupervisor } from '../../src/supervision/supervisor.ts';
import { type CliWorld, cliWorld } from './deduplicating-cli.ts';

/** What was accepted before the first loss: by session, with what each prompt must have come to in the end. */
const PROMPTS = {
  queue: { q1: 'slow first', q2: 'second', q3: 'third' },
  question: { a1: 'ask rm -rf build', a2: 'after the answer' },
  failing: { f1: 'slow and lost' },
  done: { d1: 'well done' },
} as const;

const OUTCOMES = {
  ...{ q1: 'completed', q2: 'completed', q3: 'completed', a1: 'completed', a2: 'completed' },
  ...{ f1: 'failed', d1: 'completed' },
};

describe('a host that is lost while it recovers (P2, P4, P7)', () => {
  it('loses nothing, runs nothing twice and invents nothing, whichever of its writes was its last', async () => {
    let cut = 0;
    for (let isThrough = false; !isThrough; ) {
      cut += 1;
      const { world, store, question } = await firstLife();
      const second = lifeOn(world, store, (nth) => (nth >= cut ? 'never' : undefined));
      isThrough = await Promise.race([second.wasRefused.then(() => false), goOn(second.supervisor).then(() => true)]);
      // What was under way to a process reaches it.
      await settled();
      second.lose();
      await second.supervisor.shutdown();
      world.sweep();
      const ranBefore = new Set(world.executed.keys());

      const third = lifeOn(world, store);
      await third.supervisor.recovered;
      // What the CLI was told is decided for good: nobody is asked about it again.
      if (world.tools.size > 0) expect(third.supervisor.inbox(), `write ${cut}`).toEqual([]);
      await goOn(third.supervisor);
      await third.supervisor.shutdown();
      await expectWhole({ world, store, question }, `the second host was lost at its write ${cut}`, ranBefore);
    }
    // It really was cut everywhere.
    expect(cut).toBeGreaterThan(20);
  });

  it('keeps the same promises where single writes fail and are tried again', async () => {
    for (let failing = 1, isThrough = false; !isThrough; failing += 7) {
      const { world, store, question } = await firstLife();
      const second = lifeOn(world, store, (nth) => (nth % 7 === 0 || nth === failing ? 'STORE_FULL' : undefined));
      await goOn(second.supervisor);
      isThrough = second.writes() < failing;
      await second.supervisor.shutdown();
      await expectWhole({ world, store, question }, `write ${failing} and each seventh failed`);
    }
  });
});

interface Place {
  readonly world: CliWorld;
  readonly store: MemoryStore;
  /** The id of the question that was open when the first host was lost. */
  readonly question: string;
}

/** A host with everything at once, until it is lost. */
async function firstLife(): Promise<Place> {
  const world = cliWorld();
  const store = new MemoryStore();
  const { supervisor, lose } = lifeOn(world, store);
  for (const [id, prompts] of Object.entries(PROMPTS)) {
    const session = await supervisor.start({ id, ...(id === 'failing' ? { onRestart: 'fail' } : {}) });
    const turns = Object.entries(prompts).map(([promptId, text]) => session.prompt(text, { id: promptId }));
    await Promise.all(turns.map(({ accepted }) => accepted));
    if (id === 'done') await Promise.all(turns.map(({ result }) => result));
  }
  await supervisor.start({ id: 'held', canUseTool: () => ({ behavior: 'allow' }) });
  await until(
    () =>
      supervisor.inbox().length === 1 &&
      supervisor.list().every(({ state }) => state === 'ready' || state === 'awaiting-permission'),
  );
  await settled();
  const [question] = supervisor.inbox();
  lose();
  world.sweep();
  await supervisor.shutdown();
  world.goOn();
  return { world, store, question: question?.id ?? '' };
}

/** Answers the question, and waits until nothing is left to be done. */
async function goOn(supervisor: ReturnType<typeof createSupervisor>): Promise<void> {
  await supervisor.recovered;
  const isOver = () => supervisor.list().every((session) => hasNoWork(session.explain()) && session.id !== 'failing');
  for (;;) {
    for (const session of supervisor.list()) {
      for (const { id } of session.permissions.pending()) {
        await session.permissions.answer(id, { behavior: 'allow' }).catch(() => {});
      }
    }
    if (isOver()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function hasNoWork({ queuedPrompts, outstandingPrompts, openPermissions }: Explanation): boolean {
  return queuedPrompts + outstandingPrompts + openPermissions.length === 0;
}

/** `never`: no word comes back from the disk. */
type Refusal = ConstructorParameters<typeof TroupeError>[0] | 'never';

/** A host on the store. `refusal` says of each of its writes, counted from 1, why it is refused, if it is. */
function lifeOn(
  { open }: CliWorld,
  store: MemoryStore,
  refusal: (nth: number) => Refusal | undefined = () => undefined,
) {
  let nth = 0;
  let isLost = false;
  let tellRefused = (): void => {};
  let tellLost = (): void => {};
  const lost = new Promise<void>((resolve) => {
    tellLost = resolve;
  });
  const wasRefused = new Promise<void>((resolve) => {
    tellRefused = resolve;
  });
  const append = async (change: Change): Promise<void> => {
    nth += 1;
    const code = isLost ? 'STORE_TAKEN_OVER' : refusal(nth);
    if (code === undefined) return await store.append(change);
    tellRefused();
    if (code === 'never') await lost;
    throw new TroupeError(code === 'never' ? 'STORE_TAKEN_OVER' : code);
  };
  const supervisor = createSupervisor({
    spawn: open,
    store: withAppend(store, append),
    restart: { type: 'permanent' },
  });
  return {
    supervisor,
    wasRefused,
    writes: () => nth,
    /** As by SIGKILL: nothing it does afterwards is kept. */
    lose: () => {
      isLost = true;
      tellLost();
    },
  };
}

function withAppend(store: MemoryStore, append: Store['append']): Store {
  return {
    durability: store.durability,
    append,
    room: () => store.room(),
    head: (id) => store.head(id),
    read: (request) => store.read(request),
    snapshot: (id) => store.snapshot(id),
    sessions: () => store.sessions(),
    prune: (policy) => store.prune(policy),
    health: () => store.health(),
    close: async () => {},
  };
}

/** Everything that was accepted came to its one end, and nothing else happened. */
async function expectWhole(
  { world, store, question }: Place,
  when: string,
  ranBefore: ReadonlySet<string> = new Set(),
): Promise<void> {
  const prompts = Object.entries(PROMPTS).flatMap(([id, own]) =>
    Object.entries(own).map((entry) => [id, ...entry] as const),
  );
  const told: Record<string, unknown>[] = [];
  for await (const { sessionId, lastSeq } of store.sessions()) {
    const seqs: number[] = [];
    for await (const event of store.read({ sessionId, after: 0 })) {
      if (!('data' in event)) throw new Error('The log begins late.');
      seqs.push(event.seq);
      if (!event.type.startsWith('message'))
        told.push({ type: event.type, ...JSON.parse(Buffer.from(event.data).toString()) });
    }
    expect(seqs, when).toEqual(Array.from({ length: lastSeq }, (_, index) => index + 1));
  }
  const ids = (type: string) =>
    told
      .filter((fact) => fact['type'] === type)
      .map(({ promptId }) => promptId)
      .toSorted();
  const all = prompts.map(([, promptId]) => promptId).toSorted();
  expect({ accepted: ids('prompt.accepted'), ended: ids('prompt.ended') }, when).toEqual({ accepted: all, ended: all });
  const outcomes = told.flatMap((fact) =>
    fact['type'] === 'prompt.ended' ? [[String(fact['promptId']), fact['outcome']]] : [],
  );
  // Where the turn had run and nobody wrote down how it ended, the policy says `lost`: it is not run again to find out.
  const texts = new Map(prompts.map(([, promptId, text]) => [promptId as string, text as string]));
  const judged = outcomes.map(([id, outcome]) => [
    id,
    outcome === 'lost' && ranBefore.has(texts.get(String(id)) ?? '') ? 'completed' : outcome,
  ]);
  expect(Object.fromEntries(judged), when).toEqual(OUTCOMES);
  const ran = prompts.flatMap(([id, , text]) => (id === 'failing' ? [] : [[text, 1] as const]));
  expect(Object.fromEntries(world.executed), when).toEqual(Object.fromEntries(ran));
  expect(Object.fromEntries(world.tools), when).toEqual({ 'rm -rf build': 1 });
  const settled = told.filter(({ type }) => type === 'permission.settled');
  expect(settled, when).toMatchObject([{ requestId: question, outcome: 'allowed', by: 'api' }]);
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
}

/** Long enough for everything that is not waiting for a clock. */
async function settled(): Promise<void> {
  for (let round = 0; round < 50; round += 1) await new Promise((resolve) => setImmediate(resolve));
}
