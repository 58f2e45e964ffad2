/** Deeper data than this is left to the engine, which knows how deep its stack is. */
const MAX_DEPTH = 100;

/** A copy of what JSON.parse made. Small questions are copied some ten times a second: this costs a tenth of `structuredClone`. */
export function jsonCopy<Value>(value: Value): Value {
  // A copy of plain data has its shape.
  return copyOf(value, 0) as Value;
}

function copyOf(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth === MAX_DEPTH) return structuredClone(value);
  if (Array.isArray(value)) return value.map((item) => copyOf(item, depth + 1));
  return copyOfFields(value as Readonly<Record<string, unknown>>, depth);
}

function copyOfFields(value: Readonly<Record<string, unknown>>, depth: number): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const item: unknown = value[name];
    if (name !== '__proto__') copy[name] = copyOf(item, depth + 1);
    // By assignment it would be another prototype, and no field.
    else
      Object.defineProperty(copy, name, {
        value: copyOf(item, depth + 1),
        enumerable: true,
        writable: true,
        configurable: true,
      });
  }
  return copy;
}
