import { isSecretName } from '../launch/secret-name.ts';
import type { SessionOptions } from '../launch/session-options.ts';
import type { Json } from '../store/store-record.ts';
import { isRecord } from '../wire/fields.ts';

/** Options of the start alone, and of whoever watched it: a session is the same without them. */
const OF_THE_START: ReadonlySet<string> = new Set(['signal', 'abortController', 'autoStart']);
const OF_WATCHERS: ReadonlySet<string> = new Set(['stderr']);
/** Objects whose entries are variables or headers: an entry is kept unless its name says that it is a secret. */
const TABLES: ReadonlySet<string> = new Set(['env', 'headers']);
const REDACTED = '[redacted]';
/** JSON has no infinity, and no way to say that a variable is to be removed. */
const INFINITE = { number: 'Infinity' } as const;
const REMOVED = null;

export interface StoredOptions {
  readonly options: Json;
  /** What was left out, by path. */
  readonly withheld: readonly string[];
}

/**
 * The options of a session as a store keeps them: without what is no JSON (functions, servers of this process, stores), and
 * without variables, headers and settings whose names say that they hold a secret.
 */
export function storedOptionsOf(options: SessionOptions): StoredOptions {
  const withheld: string[] = [];
  const kept: Record<string, Json> = {};
  for (const [name, value] of Object.entries(options)) {
    if (OF_THE_START.has(name) || value === undefined) continue;
    const stored = storedOption(name, value, withheld);
    if (stored !== undefined) kept[name] = stored;
  }
  return { options: kept, withheld };
}

/** The same, with the id of the conversation that was made up for it. */
export function withConversation({ options, withheld }: StoredOptions, sessionId: string): StoredOptions {
  return { options: isRecord(options) ? { ...options, sessionId } : options, withheld };
}

/** Where the values of variables that were left out may be found again. */
export type Variables = Readonly<Record<string, string | undefined>>;

export interface OptionsAgain {
  /** Still to be checked, as all options are. */
  readonly options: Record<string, unknown>;
  /** What is missing, and the session needs, by path. */
  readonly missing: readonly string[];
}

/** The options again. Variables that were left out are taken from those of this host, where they are. */
export function optionsOfStored({ options, withheld }: StoredOptions, variables: Variables): OptionsAgain {
  const missing: string[] = [];
  const again: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(isRecord(options) ? options : {})) again[name] = valueAgain(value, [name]);
  for (const path of new Set([...withheld, ...redactedIn(options, [])])) {
    const variable = path.startsWith('env.') ? variables[path.slice('env.'.length)] : undefined;
    if (variable === undefined) {
      if (!OF_WATCHERS.has(path)) missing.push(path);
      continue;
    }
    again['env'] = { ...(isRecord(again['env']) ? again['env'] : {}), [path.slice('env.'.length)]: variable };
  }
  return { options: again, missing };
}

function storedOption(name: string, value: unknown, withheld: string[]): Json | undefined {
  if (name === 'mcpServers' && isRecord(value)) return tableOf(name, value, withheld, isLive);
  if (!isLive(value)) return storedValue(value, [name], withheld);
  withheld.push(name);
  return undefined;
}

/** Each entry by itself: one that cannot be kept costs no other one. */
function tableOf(
  path: string,
  entries: Record<string, unknown>,
  withheld: string[],
  isWithheld: (value: unknown) => boolean,
): Json {
  const kept = Object.entries(entries).flatMap(([name, value]) => {
    const own = `${path}.${name}`;
    if (!isWithheld(value)) return [[name, storedValue(value, [own], withheld)] as const];
    withheld.push(own);
    return [];
  });
  return Object.fromEntries(kept);
}

function storedValue(value: unknown, path: readonly string[], withheld: string[]): Json {
  if (value === Number.POSITIVE_INFINITY) return INFINITE;
  if (Array.isArray(value)) return value.map((item, index) => storedValue(item, [...path, String(index)], withheld));
  if (!isRecord(value)) return isJsonLeaf(value) ? value : null;
  const isTable = TABLES.has(path.at(-1) ?? '');
  const kept = Object.entries(value).flatMap(([name, item]): (readonly [string, Json])[] => {
    if (item === undefined) return isTable ? [[name, REMOVED]] : [];
    if (!isSecretEntry(name, item, isTable)) return [[name, storedValue(item, [...path, name], withheld)]];
    withheld.push([...path, name].join('.'));
    return [];
  });
  return Object.fromEntries(kept);
}

/** In a table each name counts; elsewhere a name such as `maxThinkingTokens` says nothing of its number. */
function isSecretEntry(name: string, value: unknown, isTable: boolean): boolean {
  if (typeof value !== 'string' || !isSecretName(name)) return false;
  return isTable || /(?:key|token|secret|password|cookie|bearer)$/i.test(name);
}

function valueAgain(value: unknown, path: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item, index) => valueAgain(item, [...path, String(index)]));
  if (!isRecord(value)) return value;
  if (value['number'] === INFINITE.number && Object.keys(value).length === 1) return Number.POSITIVE_INFINITY;
  const isTable = TABLES.has(path.at(-1) ?? '');
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      isTable && item === REMOVED ? undefined : valueAgain(item, [...path, name]),
    ]),
  );
}

/** Where a secret was cut out of a text before it was stored: such a text would start another session. */
function redactedIn(value: unknown, path: readonly string[]): string[] {
  if (typeof value === 'string') return value.includes(REDACTED) ? [path.join('.')] : [];
  if (Array.isArray(value)) return value.flatMap((item, index) => redactedIn(item, [...path, String(index)]));
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, item]) => redactedIn(item, [...path, name]));
}

/** Functions, and objects that are more than their properties. */
function isLive(value: unknown): boolean {
  if (typeof value === 'function') return true;
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(isLive);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return true;
  return Object.values(value).some(isLive);
}

function isJsonLeaf(value: unknown): value is Json {
  return value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
