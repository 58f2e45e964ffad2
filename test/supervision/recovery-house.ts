import { TroupeError } from '../../src/errors.ts';
import type { SupervisorOptions } from '../../src/launch/supervisor-options.ts';
import { MemoryStore } from '../../src/store/memory-store.ts';
import type { Store } from '../../src/store/store.ts';
import { createSupervisor } from '../../src/supervision/supervisor.ts';
import { type MemoryManners, type MemoryPrompt, memoryFleet } from './memory-cli.ts';

/** Hosts that share one store, one after the other; each is lost as by SIGKILL: nothing it does afterwards is kept. */
export function recoveryHouse(answer?: (prompt: MemoryPrompt) => void, manners?: MemoryManners) {
  const store = new MemoryStore();
  const fleet = memoryFleet(answer, manners);
  return {
    store,
    fleet,
    /** A host, and the way to lose it. */
    host: (options: SupervisorOptions = {}) => {
      const { isLost, lose } = { isLost: () => lost, lose: () => (lost = true) };
      let lost = false;
      const supervisor = createSupervisor({ ...options, spawn: fleet.open, store: cutOff(store, isLost) });
      return { supervisor, lose };
    },
    recordsOf: async (id: string) => (await store.snapshot(id))?.records ?? [],
    eventsOf: async (id: string) => {
      const types: string[] = [];
      for await (const event of store.read({ sessionId: id, after: 0 })) types.push(event.type);
      return types;
    },
  };
}

/** The store as a host sees it that may be lost. */
export function cutOff(store: Store, isLost: () => boolean): Store {
  return {
    durability: store.durability,
    append: async (change) => {
      if (isLost()) throw new TroupeError('STORE_TAKEN_OVER');
      await store.append(change);
    },
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
