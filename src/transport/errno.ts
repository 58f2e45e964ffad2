/** The system's name for a failure (`ENOENT`, `EPIPE`, …), or `UNKNOWN` when the value carries none. */
export function errnoOf(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string')
    return error.code;
  return 'UNKNOWN';
}
