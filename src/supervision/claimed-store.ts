import type { Clock } from '../clock.ts';
import type { Claimant } from '../store/sqlite/claim.ts';
import type { FleetEvent } from './fleet-event.ts';

export interface ClaimedStoreOptions {
  readonly clock: Clock;
  readonly handoverMs: number;
  readonly handover: (timeoutMs: number) => Promise<void>;
  readonly tell: (event: FleetEvent) => void;
}

/**
 * What is done when another process asks for the store: the sessions are handed over. Turns get at most half of what that one
 * waits, so that it is still there when the store is free. It is heard again and again, so what fails is tried again.
 */
export function handOverToClaimant(options: ClaimedStoreOptions): (claimant: Claimant) => void {
  let told = '';
  let isAtWork = false;
  return ({ pid, host, since, waitMs }) => {
    if (isAtWork) return;
    isAtWork = true;
    const { clock, tell, handover, handoverMs } = options;
    const name = `${host} ${pid} ${since}`;
    if (name !== told) tell({ type: 'store.claimed', at: clock.now(), pid, host, waitMs });
    told = name;
    const done = () => {
      isAtWork = false;
    };
    handover(Math.max(1, Math.min(handoverMs, waitMs / 2))).then(done, done);
  };
}
