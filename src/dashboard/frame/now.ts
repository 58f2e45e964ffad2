import { signal } from '@preact/signals';

/** The time of this browser in epoch milliseconds, as of the last full second. */
export const now = signal(Date.now());

export function runClock(): void {
  setInterval(() => {
    if (document.visibilityState === 'visible') now.value = Date.now();
  }, 1_000);
}
