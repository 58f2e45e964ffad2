import type { z } from 'zod';
import { TroupeError } from '../errors.ts';
import { nearestName } from './nearest-name.ts';

/** What is wrong with one option. Names and reasons only: a value might be a secret (P11). */
export interface OptionIssue {
  /** The option as it is written in code: `allowedTools[2]`, `mcpServers.calc.command`, `env["MY VAR"]`. */
  readonly field: string;
  readonly reason: string;
}

/** The names an options object knows, by the field it stands in; the top level is `''`. */
export type KnownNames = Readonly<Record<string, readonly string[]>>;

/** Issues named one by one in the message; `details.issues` holds them all. */
const MAX_NAMED = 5;

/** INVALID_OPTIONS for at least one issue: the message names the fields, `details` is `{ field, reason, issues }`. */
export function invalidOptions(issues: readonly OptionIssue[]): TroupeError {
  const named = issues.slice(0, MAX_NAMED).map(({ field, reason }) => (field === '' ? reason : `${field}: ${reason}`));
  const rest = issues.length > MAX_NAMED ? [`and ${issues.length - MAX_NAMED} more`] : [];
  const { field, reason } = issues[0] ?? { field: '', reason: 'unknown' };
  return new TroupeError('INVALID_OPTIONS', {
    reason: `${[...named, ...rest].join('; ')}.`,
    details: { field, reason, issues },
  });
}

/** Translates what zod found. Unknown names become one issue each, with the name that was probably meant. */
export function issuesOf(error: z.ZodError, known: KnownNames): OptionIssue[] {
  return error.issues.flatMap((issue) => readIssue(issue, [], known));
}

function readIssue(issue: z.core.$ZodIssue, outer: readonly PropertyKey[], known: KnownNames): OptionIssue[] {
  const path = [...outer, ...issue.path];
  const field = fieldName(path);
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownName(path, key, known));
  if (issue.code === 'invalid_key') return [{ field, reason: issue.issues[0]?.message ?? 'is not a valid name' }];
  if (issue.code === 'invalid_union') {
    // The alternative that was meant is the one whose inside, and not whose outside, is wrong.
    const meant = issue.errors.find((issues) => issues.some(({ code, path }) => code === 'custom' || path.length > 0));
    if (meant !== undefined) return meant.flatMap((inner) => readIssue(inner, path, known));
  }
  return [{ field, reason: readable(issue.message) }];
}

/** A path of names and positions, as it is written in code. */
export function fieldName(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    const name = String(part);
    if (!/^[A-Za-z_$][\w$]*$/.test(name)) return `${text}[${JSON.stringify(name)}]`;
    return text === '' ? name : `${text}.${name}`;
  }, '');
}

function unknownName(path: readonly PropertyKey[], key: string, known: KnownNames): OptionIssue {
  const near = nearestName(key, known[fieldName(path)] ?? []);
  const hint = near === undefined ? '' : ` (did you mean "${near}"?)`;
  return { field: fieldName([...path, key]), reason: `is not an option${hint}` };
}

function readable(message: string): string {
  const text = message.replace(/^Invalid input: /, '').replace(/^Invalid option: /, '');
  return /received undefined$/.test(text) ? `is required (${text.replace(/, received undefined$/, '')})` : text;
}
