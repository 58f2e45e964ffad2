import { isRecord, stringOf } from '../wire/fields.ts';

/** What a person allowed for the rest of the session: what a rule covers, or one very call. */
export type Grant = { readonly tool: string } | { readonly toolName: string; readonly key: string };

/** Reads grants that a store kept; what this release would not have written is left out, and asked about again. */
export function grantsOf(stored: unknown): Grant[] {
  if (!Array.isArray(stored)) return [];
  return stored.filter(isRecord).flatMap((one): Grant[] => {
    const [tool, toolName, key] = [stringOf(one['tool']), stringOf(one['toolName']), stringOf(one['key'])];
    if (toolName !== undefined && key !== undefined) return [{ toolName, key }];
    return tool === undefined ? [] : [{ tool }];
  });
}
