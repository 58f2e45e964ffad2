import { createActor, fromPromise, SimulatedClock } from 'xstate';
import type { AccountPolicy } from '../../machines/account/account.context.ts';
import type { AccountEvent, AccountNotice } from '../../machines/account/account.events.ts';
import { accountMachine } from '../../machines/account/account.machine.ts';
import type { LoginInput, MomentInput } from '../../machines/account/account.ports.ts';
import type { RestoredAccount } from '../../machines/account/restored-account.ts';
import { stateOf } from './state-name.ts';

export const ACCOUNT_POLICY: AccountPolicy = {
  autoResume: true,
  resumeUntil: null,
  maxWaitMs: null,
  skewMs: 60_000,
  jitterMs: 30_000,
  staggerMs: 5_000,
  probeMs: 600_000,
  backoff: { minMs: 60_000, maxMs: 3_600_000, factor: 2, jitter: 0 },
};

/** An account whose time is in the hands of the test. */
export function openAccount(policy: Partial<AccountPolicy> = {}, restored?: RestoredAccount) {
  const clock = new SimulatedClock();
  const notices: AccountNotice[] = [];
  const moments: { at: number | null; reach: (now: number) => void; signal: AbortSignal }[] = [];
  const logins: ((at: number) => void)[] = [];
  const machine = accountMachine.provide({
    actors: {
      moment: fromPromise<number, MomentInput>(
        ({ input, signal }) => new Promise((reach) => moments.push({ at: input.at, reach, signal })),
      ),
      newLogin: fromPromise<number, LoginInput>(() => new Promise((resolve) => logins.push(resolve))),
    },
  });
  const account = createActor(machine, {
    clock,
    input: {
      key: 'shared',
      policy: { ...ACCOUNT_POLICY, ...policy },
      ...(restored === undefined ? {} : { restored }),
    },
  });
  account.on('*', (notice) => notices.push(notice));
  account.start();
  const at = (ms: number) => ({ at: ms, chance: 0.5 });
  return {
    account,
    clock,
    state: () => stateOf(account.getSnapshot()),
    context: () => account.getSnapshot().context,
    notices: () => notices,
    walls: () => notices.filter(({ type }) => type === 'wall.changed'),
    released: () => notices.flatMap((notice) => (notice.type === 'session.released' ? [notice] : [])),
    moment: () => moments.findLast(({ signal }) => !signal.aborted),
    send: (...events: readonly AccountEvent[]) => {
      for (const event of events) account.send(event);
    },
    wall: (resetsAt: number | null, ms = 0, window = 'five_hour') =>
      account.send({ type: 'limit.reached', window, resetsAt, ...at(ms) }),
    wait: (...ids: readonly string[]) => {
      for (const id of ids) account.send({ type: 'session.waiting', id, hasWork: true, at: 0 });
    },
    newLogin: async (at: number) => {
      logins.at(-1)?.(at);
      await new Promise((resolve) => setImmediate(resolve));
    },
    /** The wall clock shows that the moment has come. */
    reachMoment: async () => {
      const due = moments.findLast(({ signal }) => !signal.aborted);
      due?.reach(due.at ?? 0);
      await Promise.resolve();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}
