import type { Json } from '../store/store-record.ts';
import { isRecord, numberOf, stringOf } from '../wire/fields.ts';

/** The value as a store keeps it: what JSON cannot say is left out. Null for what it cannot say at all. */
export function asJson(value: unknown): Json {
  const text: string | undefined = JSON.stringify(value);
  return text === undefined ? null : (JSON.parse(text) as Json);
}

/** Fields of what a store kept, perhaps of another release: each as it is expected to be, or undefined. */
export function textIn(stored: unknown, name: string): string | undefined {
  return isRecord(stored) ? stringOf(stored[name]) : undefined;
}

export function numberIn(stored: unknown, name: string): number | undefined {
  return isRecord(stored) ? numberOf(stored[name]) : undefined;
}

export function recordIn(stored: unknown, name: string): Record<string, unknown> | undefined {
  const value = isRecord(stored) ? stored[name] : undefined;
  return isRecord(value) ? value : undefined;
}
