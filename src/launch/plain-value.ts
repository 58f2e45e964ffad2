import { fieldName, type OptionIssue } from './option-issue.ts';

/** Deeper data is taken for circular. */
const MAX_DEPTH = 64;

/**
 * Copies plain data and finds what no option may hold: NUL characters, the name `__proto__`, circular data. A property
 * that is undefined counts as not given and is left out, except in `env`, where it removes a variable.
 */
export function readPlainValue(input: unknown): { readonly value: unknown; readonly issues: readonly OptionIssue[] } {
  const issues: OptionIssue[] = [];
  return { value: copy(input, [], issues), issues };
}

function copy(value: unknown, path: readonly PropertyKey[], issues: OptionIssue[]): unknown {
  if (typeof value === 'string') {
    if (value.includes('\0')) issues.push({ field: fieldName(path), reason: 'must not contain a NUL character' });
    return value;
  }
  if (path.length > MAX_DEPTH) {
    issues.push({ field: fieldName(path.slice(0, 1)), reason: 'is circular, or nested too deeply' });
    return undefined;
  }
  if (Array.isArray(value)) return value.map((item, index) => copy(item, [...path, index], issues));
  if (!isData(value, path.length === 0)) return value;
  const entries = Object.entries(value).filter(([name, item]) => isGiven(name, item, path, issues));
  return Object.fromEntries(entries.map(([name, item]) => [name, copy(item, [...path, name], issues)]));
}

function isGiven(name: string, item: unknown, path: readonly PropertyKey[], issues: OptionIssue[]): boolean {
  if (name === '__proto__') issues.push({ field: fieldName([...path, name]), reason: 'is a reserved name' });
  if (name.includes('\0'))
    issues.push({ field: fieldName(path), reason: 'must not contain a NUL character in a name' });
  return item !== undefined || path[0] === 'env';
}

/** An object with methods is somebody's live thing (a logger, a clock, a server): it is handed on as it is. */
function isData(value: unknown, isRoot: boolean): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  return isRoot || !Object.values(value).some((item) => typeof item === 'function');
}
