import type { ResultFacts } from '../wire/facts.ts';

/** What the CLI says about a failure: its errors, or else the text of the result. Undefined when all of it is blank. */
export function saidIn({ errors, text = '' }: ResultFacts): string | undefined {
  const listed = errors.map((error) => error.trim()).filter((error) => error !== '');
  return listed.length > 0 ? listed.join('; ') : text.trim() || undefined;
}

/** The same, with what else the result tells where it says nothing. Never empty, and never "success". */
export function failureWords(result: ResultFacts): string {
  const { apiErrorStatus, terminalReason, subtype } = result;
  const said = saidIn(result);
  if (said !== undefined) return said;
  if (apiErrorStatus !== undefined) return `(the API answered with status ${apiErrorStatus})`;
  // Older releases call a turn that failed at the API completed (WIRE §23).
  const reason = terminalReason === 'completed' ? undefined : terminalReason;
  return `(${reason ?? (subtype === 'success' ? 'no reason was given' : subtype)})`;
}
