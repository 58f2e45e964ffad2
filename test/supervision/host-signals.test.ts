import { setImmediate as nextLoop } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSignalWatch, type Leaver, type SignalPorts } from '../../src/supervision/host-signals.ts';

describe('a host that is told to go (R49, R60)', () => {
  it('shuts every supervisor down at the first signal, then dies of it', async () => {
    const host = hostOf();
    const [one, other] = [host.supervisor(), host.supervisor()];
    host.signal('SIGTERM');
    expect(host.told).toEqual(['shutdown', 'shutdown']);

    one.finish();
    await settled();
    expect(host.told).toHaveLength(2);
    other.finish();
    await settled();
    expect(host.told.slice(2)).toEqual(['end now', 'kill 42 SIGTERM']);
  });

  it('kills what is left at the second signal, and dies of that one at once', async () => {
    const host = hostOf();
    const { finish } = host.supervisor();
    host.signal('SIGINT');
    host.signal('SIGTERM');
    expect(host.told).toEqual(['shutdown', 'end now', 'kill 42 SIGTERM']);

    finish();
    await settled();
    expect(host.told).toHaveLength(3);
  });

  it('has given its own listeners back when it signals itself, so that the signal ends it', async () => {
    const host = hostOf();
    host.supervisor().finish();
    host.signal('SIGHUP');
    await settled();
    expect(host.listeners()).toEqual([0, 0, 0]);
  });

  it('dies also of a supervisor that cannot be shut down', async () => {
    const host = hostOf();
    host.watch.add({ shutdown: () => Promise.reject(new Error('no')) });
    host.signal('SIGTERM');
    await settled();
    expect(host.told).toEqual(['end now', 'kill 42 SIGTERM']);
  });

  it('lives on where the program listens to the signal, too: its end is its own', async () => {
    const host = hostOf();
    host.supervisor().finish();
    const heard: string[] = [];
    host.ports.on('SIGTERM', (signal) => heard.push(signal));
    host.signal('SIGTERM');
    await settled();
    expect(heard).toEqual(['SIGTERM']);
    expect(host.told).toEqual(['shutdown', 'end now']);
    expect(host.listeners()).toEqual([0, 1, 0]);
  });

  it('does not take signal-exit for such a listener: it only waits for the others to go', async () => {
    const host = hostOf();
    host.supervisor().finish();
    Reflect.set(process, '__signal_exit_emitter__', { count: 1 });
    onTestFinished(() => void Reflect.deleteProperty(process, '__signal_exit_emitter__'));
    host.ports.on('SIGTERM', () => {});
    host.signal('SIGTERM');
    await settled();
    expect(host.told).toContain('kill 42 SIGTERM');
  });
});

describe('the listeners for signals', () => {
  it('are one for each signal, however many supervisors there are, and none without one (R60)', () => {
    const host = hostOf();
    const supervisors = Array.from({ length: 30 }, () => host.supervisor());
    expect(host.listeners()).toEqual([1, 1, 1]);
    for (const { forget } of supervisors) forget();
    expect(host.listeners()).toEqual([0, 0, 0]);
  });

  it('stay until the host has left, though its supervisors stop before', async () => {
    const host = hostOf();
    const { forget, finish } = host.supervisor();
    host.signal('SIGTERM');
    forget();
    expect(host.listeners()).toEqual([1, 1, 1]);
    finish();
    await settled();
    expect(host.told.at(-1)).toBe('kill 42 SIGTERM');
  });
});

/** A process that can be signalled and does not die. */
function hostOf() {
  const told: string[] = [];
  const listening = new Map<string, Set<(signal: 'SIGTERM') => void>>();
  const ports: SignalPorts = {
    pid: 42,
    on: (signal, listener) => listening.set(signal, (listening.get(signal) ?? new Set()).add(listener)),
    off: (signal, listener) => listening.get(signal)?.delete(listener),
    listenerCount: (signal) => listening.get(signal)?.size ?? 0,
    kill: (pid, signal) => told.push(`kill ${pid} ${signal}`),
    exit: () => {},
  };
  const watch = createSignalWatch(ports, () => told.push('end now'));

  function supervisor() {
    let finish = (): void => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const leaver: Leaver = {
      shutdown() {
        told.push('shutdown');
        return finished;
      },
    };
    return { forget: watch.add(leaver), finish };
  }

  return {
    told,
    ports,
    watch,
    supervisor,
    signal(name: string) {
      for (const listener of [...(listening.get(name) ?? [])]) listener(name as 'SIGTERM');
    },
    listeners: () => ['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => listening.get(signal)?.size ?? 0),
  };
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await nextLoop();
}
