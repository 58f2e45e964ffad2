import { z } from 'zod';
import { type Agrees, FilledText } from './field-schemas.ts';

/** What must not be seen in events, the store, logs, explanations and error texts. */
export interface SecretOptions {
  /** Secrets; each has eight characters at least. */
  readonly values?: readonly string[];
  /**
   * Names of variables that hold secrets, beside those whose names say so (`KEY`, `TOKEN`, `SECRET`, `PASSWORD`,
   * `CREDENTIAL`, `AUTH` …): a `*` stands for any letters, and a `!` before a name says that it holds none.
   */
  readonly env?: readonly string[];
  /**
   * Whether also what looks like a secret is one: keys of well-known services, bearer tokens, private keys. With patterns of
   * your own, each text is searched for them, too, which costs parsing every line. Default true.
   */
  readonly shapes?: boolean | readonly RegExp[];
}

/** Shorter texts are in everything. */
export const SHORTEST_SECRET_LENGTH = 8;

export const SecretShape = {
  values: z
    .array(z.string().min(SHORTEST_SECRET_LENGTH, 'is too short to be searched for: it has fewer than 8 characters'))
    .readonly()
    .exactOptional(),
  env: z
    .array(FilledText.regex(/^!?[^!]+$/, 'must be a name, which a "!" may precede'))
    .readonly()
    .exactOptional(),
  shapes: z
    .union([z.boolean(), z.array(z.instanceof(RegExp, { error: 'must be a RegExp' })).readonly()])
    .exactOptional(),
};

true satisfies Agrees<z.infer<z.ZodObject<typeof SecretShape>>, SecretOptions>;
