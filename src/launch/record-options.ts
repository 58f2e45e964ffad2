import { z } from 'zod';
import { type Agrees, FilledText } from './field-schemas.ts';

/** Where the traffic with the CLI is recorded, and how much of it. */
export interface RecordOptions {
  /** A file for a session, a folder for a supervisor; relative to the host's working directory. What is missing of it is made. */
  readonly path: string;
  /**
   * What becomes of a file that is there. `number` (default): it stays, and the new one is called `name-2`, `name-3` …
   * `replace`: it goes.
   */
  readonly ifExists?: 'number' | 'replace';
  /** Bytes of one file; what comes after is not recorded, and a diagnostic says so. Default 256 MiB. */
  readonly maxBytes?: number;
}

export const DEFAULT_MAX_RECORDING_BYTES = 256 * 2 ** 20;
/** Room for the header and for the note that it is full. */
const LEAST_BYTES = 1024;

const RecordFields = {
  path: FilledText,
  ifExists: z.enum(['number', 'replace']).exactOptional(),
  maxBytes: z.int().min(LEAST_BYTES, `must be at least ${LEAST_BYTES}`).exactOptional(),
};

export const RecordShape = z.union([FilledText, z.strictObject(RecordFields)], {
  error: 'expected a path, or an object with a "path"',
});

/** For "did you mean". */
export const RECORD_OPTION_NAMES = Object.keys(RecordFields);

true satisfies Agrees<z.infer<typeof RecordShape>, string | RecordOptions>;

/** All said. */
export function recordOptions(given: string | RecordOptions): Required<RecordOptions> {
  const {
    path,
    ifExists = 'number',
    maxBytes = DEFAULT_MAX_RECORDING_BYTES,
  } = typeof given === 'string' ? { path: given } : given;
  return { path, ifExists, maxBytes };
}
