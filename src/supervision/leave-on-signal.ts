import type { SupervisorOptions } from '../launch/supervisor-options.ts';
import { hostSignals } from './host-signals.ts';

/** Who goes with the host. */
interface Leaving {
  drain(): Promise<void>;
  shutdown(options: { readonly timeoutMs: number }): Promise<void>;
}

/** Has the supervisor do what `onHostSignal` says. Returns the way to stop it. */
export function leaveOnSignal(
  supervisor: Leaving,
  onHostSignal: SupervisorOptions['onHostSignal'] = 'none',
  withinMs: number,
): () => void {
  if (onHostSignal === 'none') return () => {};
  const leave = () => (onHostSignal === 'drain' ? supervisor.drain() : supervisor.shutdown({ timeoutMs: withinMs }));
  return hostSignals.add({ shutdown: leave });
}
