/** Deadlines of single tools, by the server object that has them: whoever serves that object keeps them. */
const deadlines = new WeakMap<object, Map<string, number>>();

export function setToolDeadline(server: object, tool: string, deadlineMs: number): void {
  const known = deadlines.get(server) ?? new Map<string, number>();
  known.set(tool, deadlineMs);
  deadlines.set(server, known);
}

/** Milliseconds; `Infinity` for a tool without a deadline. */
export function toolDeadline(server: object, tool: unknown): number {
  const own = typeof tool === 'string' ? deadlines.get(server)?.get(tool) : undefined;
  return own ?? Number.POSITIVE_INFINITY;
}
