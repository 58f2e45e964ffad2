/** The JSON of a value with its fields in one fixed order: equal texts mean equal data. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sorted(value)) ?? 'undefined';
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, inner]) => [name, sorted(inner)] as const);
  return Object.fromEntries(entries.sort(([left], [right]) => (left < right ? -1 : 1)));
}
