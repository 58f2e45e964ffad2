import { AssertionError } from 'node:assert';
import { type Asked, requestsOf, toolResultText } from './asked.ts';
import type { ModelRequest } from './model-request.ts';
import { matches } from './reply-choice.ts';
import type { RequestPattern } from './script.ts';

/** What one request must look like: a prompt word for word, or conditions, as in the rules of a script. */
export type ExpectedRequest = string | RequestPattern;

export interface ExpectRequestsOptions {
  /** `refused`: these requests and no others, the default. `allowed`: others may come before, between and behind. */
  readonly others?: 'refused' | 'allowed';
}

const SHOWN_CHARACTERS = 120;

/**
 * Throws an AssertionError of Node, which every test runner shows, unless the CLI asked the model this, in this order. The
 * message has a line per request: what was expected there and what came.
 */
export function expectRequests(
  asked: Asked,
  expected: readonly ExpectedRequest[],
  { others = 'refused' }: ExpectRequestsOptions = {},
): void {
  const patterns = expected.map((one) => (typeof one === 'string' ? { promptEquals: one } : one));
  const requests = requestsOf(asked);
  const rows = others === 'allowed' ? inOrder(patterns, requests) : oneByOne(patterns, requests);
  if (rows.every(({ faults }) => faults.length === 0)) return;
  throw new AssertionError({
    message: ['The CLI did not ask the model what was expected.', ...rows.flatMap(linesOf)].join('\n'),
    expected: rows.map(({ pattern }) => (pattern === undefined ? 'no request' : patternText(pattern))),
    actual: rows.map(({ request, pattern, faults }) =>
      faults.length === 0 && pattern !== undefined ? patternText(pattern) : requestText(request),
    ),
    operator: 'expectRequests',
    stackStartFn: expectRequests,
  });
}

interface Row {
  readonly place: number;
  readonly pattern: RequestPattern | undefined;
  readonly request: ModelRequest | undefined;
  /** The conditions that do not hold. */
  readonly faults: readonly string[];
}

function oneByOne(patterns: readonly RequestPattern[], requests: readonly ModelRequest[]): Row[] {
  return Array.from({ length: Math.max(patterns.length, requests.length) }, (_, index) => {
    const [pattern, request] = [patterns[index], requests[index]];
    return { place: index + 1, pattern, request, faults: faultsOf(pattern, request) };
  });
}

/** Each pattern takes the next request that fits; one without any is shown beside all that were left. */
function inOrder(patterns: readonly RequestPattern[], requests: readonly ModelRequest[]): Row[] {
  const rows: Row[] = [];
  let next = 0;
  for (const pattern of patterns) {
    const at = requests.findIndex((request, index) => index >= next && matches(pattern, request, request.ordinal));
    if (at >= 0) rows.push({ place: at + 1, pattern, request: requests[at], faults: [] });
    else {
      const left = requests.slice(next);
      rows.push({ place: next + 1, pattern, request: undefined, faults: faultsOf(pattern, left[0]) });
      rows.push(
        ...left.map((request, index) => ({ place: next + index + 1, pattern: undefined, request, faults: [] })),
      );
      return rows;
    }
    next = at + 1;
  }
  return rows;
}

function faultsOf(pattern: RequestPattern | undefined, request: ModelRequest | undefined): string[] {
  if (pattern === undefined || request === undefined) return ['it is missing'];
  if (matches(pattern, request, request.ordinal)) return [];
  // What a condition on the prompt means depends on whether it is about results, so that part goes along.
  const { isToolResult, toolResultContains } = pattern;
  const about = {
    ...(isToolResult === undefined ? {} : { isToolResult }),
    ...(toolResultContains === undefined ? {} : { toolResultContains }),
  };
  const isWhole = matches(about, request, request.ordinal);
  return Object.entries(pattern)
    .filter(
      ([field, value]) =>
        !matches(isWhole ? { ...about, [field]: value } : { [field]: value }, request, request.ordinal),
    )
    .map(([field]) => field);
}

function linesOf({ place, pattern, request, faults }: Row): string[] {
  if (pattern === undefined)
    return [`  ${place} ${faults.length > 0 ? '+ not expected' : '  other'}: ${requestText(request)}`];
  if (faults.length === 0) return [`  ${place}   ${patternText(pattern)}`];
  const which = request === undefined ? '' : ` (not so: ${faults.join(', ')})`;
  return [`  ${place} - expected: ${patternText(pattern)}${which}`, `  ${place} + came:     ${requestText(request)}`];
}

function patternText(pattern: RequestPattern): string {
  const conditions = Object.entries(pattern).map(([field, value]) => {
    return `${field} ${value instanceof RegExp ? String(value) : JSON.stringify(value)}`;
  });
  return conditions.length === 0 ? 'any request' : conditions.join(', ');
}

function requestText(request: ModelRequest | undefined): string {
  if (request === undefined) return 'nothing';
  const { prompt, toolResults, model } = request;
  const results = toolResults.map((result) => `${result.isError ? 'error ' : ''}${brief(toolResultText(result))}`);
  return `${prompt === undefined ? `results of tools [${results.join(', ')}]` : `prompt ${brief(prompt)}`} to ${model}`;
}

function brief(text: string): string {
  return JSON.stringify(text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text);
}
