export type RestartDecision =
  | { readonly allowed: true; readonly restarts: readonly number[] }
  | { readonly allowed: false; readonly restarts: readonly number[] };

/**
 * The restart intensity rule of OTP: forget restarts older than the period, count this one, and give up when there are
 * more than `intensity` of them. Times are epoch milliseconds.
 */
export function countRestart(
  restarts: readonly number[],
  at: number,
  limit: { readonly intensity: number; readonly periodMs: number },
): RestartDecision {
  const recent = [...restarts.filter((former) => former >= at - limit.periodMs), at];
  return { allowed: recent.length <= limit.intensity, restarts: recent };
}
