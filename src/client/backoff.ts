import { TroupeError } from '../errors.ts';

const LEAST_MS = 250;
const MOST_MS = 15_000;

/** How long to wait before a try after so many that failed: doubled each time, and never the same for all who wait. */
export function backoffMs(failed: number): number {
  const full = Math.min(MOST_MS, LEAST_MS * 2 ** Math.min(failed - 1, 10));
  return full / 2 + (Math.random() * full) / 2;
}

/** Rejects with ABORTED as soon as the signal fires. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(new TroupeError('ABORTED', { cause: signal?.reason }));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    if (signal?.aborted === true) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}
