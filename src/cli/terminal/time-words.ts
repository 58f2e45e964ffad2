const STEPS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
] as const;

/** `12 s`, `3 min`, `2 h`, `4 d`: rounded down to the largest unit. */
export function lasting(ms: number): string {
  for (const [unit, name] of STEPS) if (ms >= unit) return `${Math.floor(ms / unit)} ${name}`;
  return `${Math.max(0, Math.floor(ms / 1000))} s`;
}

/** `14:03:59`, in the time of this place. */
export function timeOfDay(at: number): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}
