import type { Clock } from '../clock.ts';

/** What the promise resolves with, or undefined when that takes longer. Nothing is given up. */
export async function within<T>(promise: Promise<T>, waitMs: number, clock: Clock): Promise<T | undefined> {
  let timer: unknown;
  const late = new Promise<undefined>((resolve) => {
    timer = clock.setTimeout(() => resolve(undefined), waitMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clock.clearTimeout(timer);
  }
}
