import { constants } from 'node:os';
import { setImmediate as nextLoop } from 'node:timers/promises';
import { endGuardedNow } from '../transport/exit-guard.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
type HostSignal = (typeof SIGNALS)[number];

/** Until this process must be gone after it signalled itself: as the first process of a container it ignores that. */
const RAISE_MS = 100;
/** As in the package signal-exit, of which a program may hold two generations: its listeners only wait for ours to go. */
const SIGNAL_EXIT = Symbol.for('signal-exit emitter');

/** What happens to the sessions of one supervisor when the host is told to go. */
export interface Leaver {
  /** Ends them in bounded time. */
  shutdown(): Promise<void>;
}

/** What a signal watch needs of the process; an argument, so that it can be tried without dying. */
export interface SignalPorts {
  readonly pid: number;
  on(signal: HostSignal, listener: (signal: HostSignal) => void): unknown;
  off(signal: HostSignal, listener: (signal: HostSignal) => void): unknown;
  listenerCount(signal: HostSignal): number;
  kill(pid: number, signal: HostSignal): unknown;
  exit(code: number): void;
}

export interface SignalWatch {
  /** Ends this supervisor's sessions with the host. Returns the way to stop it. */
  add(leaver: Leaver): () => void;
}

/**
 * Turns a signal into an orderly end: the first shuts every supervisor down that asked for it, a second kills what is left
 * at once. Then the process dies of the signal itself, so that its parent sees the true status. A program that listens to
 * the signal, too, is left alive: its end is its own to decide. One listener for each signal serves all supervisors (R60),
 * and none is there without one.
 */
export function createSignalWatch(ports: SignalPorts, endNow: () => void): SignalWatch {
  const leavers = new Set<Leaver>();
  let isLeaving = false;

  function onSignal(signal: HostSignal): void {
    if (isLeaving) end(signal);
    else void leave(signal);
  }

  async function leave(signal: HostSignal): Promise<void> {
    isLeaving = true;
    await Promise.allSettled([...leavers].map((leaver) => leaver.shutdown()));
    // What the program itself does about the end of its sessions comes first.
    await nextLoop();
    if (isLeaving) end(signal);
  }

  function end(signal: HostSignal): void {
    isLeaving = false;
    endNow();
    const isShared = ports.listenerCount(signal) - countOfSignalExit() > 1;
    leavers.clear();
    ignore();
    if (isShared) return;
    ports.kill(ports.pid, signal);
    setTimeout(() => ports.exit(128 + constants.signals[signal]), RAISE_MS);
  }

  function ignore(): void {
    for (const signal of SIGNALS) ports.off(signal, onSignal);
  }

  return {
    add(leaver) {
      if (leavers.size === 0) for (const signal of SIGNALS) ports.on(signal, onSignal);
      leavers.add(leaver);
      return () => {
        // While the host leaves, its supervisors stop one after the other, and the signal is still to be answered.
        if (leavers.delete(leaver) && leavers.size === 0 && !isLeaving) ignore();
      };
    },
  };
}

/** Both generations of the package add one listener to each signal for every copy that is loaded. */
function countOfSignalExit(): number {
  const emitters = [Reflect.get(globalThis, SIGNAL_EXIT), Reflect.get(process, '__signal_exit_emitter__')];
  return emitters.reduce<number>((sum, emitter) => sum + (typeof emitter?.count === 'number' ? emitter.count : 0), 0);
}

/** The watch of this process. */
export const hostSignals: SignalWatch = createSignalWatch(process, endGuardedNow);
