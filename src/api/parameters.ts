import { z } from 'zod';

/** As the library takes ids of sessions: nothing that could be a path, a header or markup. */
export const SessionId = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/,
    'must be 1 to 128 of A-Z a-z 0-9 . _ : - and start with a letter or digit',
  )
  .meta({ description: "Troupe's own id of the session." });

/** Printable ASCII: what a header and a line of a log can hold. */
export const PlainId = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[\x20-\x7e]+$/, 'must be printable ASCII');

export const OfSession = z.strictObject({ id: SessionId });
export const OfPrompt = OfSession.extend({ promptId: PlainId });

/** How many entries a page has at the most. */
export const PAGE_LIMIT = 500;

export const PageLimit = z.coerce.number().int().min(1).max(PAGE_LIMIT).default(100);

/** Milliseconds a request may wait for what it asks about; a longer wait is asked for again. */
export const WaitMs = z.coerce.number().int().min(0).max(60_000).default(0);
