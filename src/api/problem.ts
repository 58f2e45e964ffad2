import { z } from 'zod';

/** What went wrong, as `application/problem+json` (RFC 9457). Switch on `code`: it is one of docs/errors.md. */
export const Problem = z
  .looseObject({
    /** `urn:troupe:error:` and the code. */
    type: z.string(),
    /** The sentence of the code. */
    title: z.string(),
    /** The HTTP status. */
    status: z.int(),
    /** The same with what exactly happened this time. */
    detail: z.string(),
    code: z.string(),
    /** The field of the request that is to blame, where there is one. */
    field: z.string().optional(),
    /** Facts for programs. */
    details: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: 'Problem' });

export type Problem = z.infer<typeof Problem>;
