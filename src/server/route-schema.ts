import type { z } from 'zod';
import { Problem } from '../api/problem.ts';

interface Parts<Params, Query, Body, Headers> {
  /** Under what the route stands in the document. */
  readonly tag: string;
  readonly params?: Params;
  readonly querystring?: Query;
  readonly body?: Body;
  readonly headers?: Headers;
  /** What the document says of a body that the handler itself checks. */
  readonly documentedBody?: z.ZodType;
  readonly response: Readonly<Record<number, z.ZodType | Stream>>;
}

/** An answer that is no JSON. */
interface Stream {
  readonly description: string;
  readonly content: Readonly<Record<string, { readonly schema: z.ZodType }>>;
}

/** What the document says of every route beside its own answers. */
const REFUSED = {
  description: 'Refused, or failed; `code` says why.',
  content: { 'application/problem+json': { schema: Problem } },
};

/** Bodies that the document describes otherwise than they are checked. */
export const DOCUMENTED_BODIES = new WeakMap<z.ZodType, z.ZodType>();

/** The schema of a route: what is checked of a request, and what OpenAPI says of it. Answers are described, and checked by the tests. */
export function described<
  Params extends z.ZodType = z.ZodUnknown,
  Query extends z.ZodType = z.ZodUnknown,
  Body extends z.ZodType = z.ZodUnknown,
  Headers extends z.ZodType = z.ZodUnknown,
>(operationId: string, summary: string, parts: Parts<Params, Query, Body, Headers>) {
  const { tag, params, querystring, body, headers, documentedBody, response } = parts;
  if (body !== undefined && documentedBody !== undefined) DOCUMENTED_BODIES.set(body, documentedBody);
  const answers: Record<string, unknown> = { ...response, default: REFUSED };
  const given = { params, querystring, body, headers };
  const checked = Object.fromEntries(Object.entries(given).filter(([, schema]) => schema !== undefined));
  return {
    operationId,
    summary,
    tags: [tag],
    // The type provider reads from these types what a handler gets; a part that was not given is not looked at.
    ...(checked as { params: Params; querystring: Query; body: Body; headers: Headers }),
    response: answers,
  };
}
