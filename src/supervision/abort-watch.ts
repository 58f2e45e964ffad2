const WATCHES = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls the listener when the signal fires. However many sessions share a signal, it carries one listener of ours: Node
 * warns of a leak from the eleventh on (R60). Returns the way to stop it.
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  const listeners = listenersOf(signal);
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function listenersOf(signal: AbortSignal): Set<() => void> {
  const known = WATCHES.get(signal);
  if (known !== undefined) return known;
  const listeners = new Set<() => void>();
  const tellAll = () => {
    for (const listener of [...listeners]) listener();
  };
  signal.addEventListener('abort', tellAll, { once: true });
  WATCHES.set(signal, listeners);
  return listeners;
}
