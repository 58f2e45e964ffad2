/** Why a session is where it is, as far as the page shows it. */
export interface Explained {
  readonly because: string;
  readonly waitingFor: readonly string[];
  /** What is done at which time, in epoch milliseconds, if nothing happens before. */
  readonly deadlines: readonly { readonly next: string; readonly at: number }[];
  readonly advice?: string;
}

/** Reads the answer of `GET …/explain`; what is missing or of another shape is left out. */
export function explained(answer: unknown): Explained | undefined {
  if (!isRecord(answer) || typeof answer['because'] !== 'string') return undefined;
  const { waitingFor, deadlines, advice } = answer;
  return {
    because: answer['because'],
    waitingFor: Array.isArray(waitingFor) ? waitingFor.filter((one) => typeof one === 'string') : [],
    deadlines: Array.isArray(deadlines) ? deadlines.flatMap((one: unknown) => deadlineOf(one) ?? []) : [],
    ...(typeof advice === 'string' ? { advice } : {}),
  };
}

function deadlineOf(value: unknown): { next: string; at: number } | undefined {
  if (!isRecord(value)) return undefined;
  const { what, next, at } = value;
  const said = typeof next === 'string' ? next : what;
  return typeof said === 'string' && typeof at === 'number' ? { next: said, at } : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
