import type { SessionOptions } from '../launch/session-options.ts';
import type { OpenTransport } from '../transport/transport.ts';
import type { Codec } from '../wire/codec.ts';
import { createCodec } from '../wire/create-codec.ts';
import type { DialectOption } from '../wire/dialect.ts';
import { type PromptFault, type PromptParts, printPromptFault } from './print/print-prompt.ts';
import { openPrint } from './print/print-transport.ts';

/** What a session has to know of the dialect that its processes speak; how each is started stands in `src/launch`. */
export interface Dialect {
  readonly name: DialectOption;
  /** For one process. */
  createCodec(): Codec;
  /** How an incarnation is opened, where that is not the one process of its plan. */
  readonly open?: (open: OpenTransport, options: SessionOptions) => OpenTransport;
  /** What it cannot carry of a prompt, where that is not everything. */
  readonly promptFault?: (prompt: PromptParts) => PromptFault | undefined;
}

/** What a dialect needs beside its codec and its command line. */
const BESIDE: Readonly<Partial<Record<DialectOption, Pick<Dialect, 'open' | 'promptFault'>>>> = {
  print: { open: openPrint, promptFault: printPromptFault },
};

export function dialectOf(options: SessionOptions): Dialect {
  const { dialect: name = 'auto' } = options;
  return { name, createCodec: () => createCodec(name), ...BESIDE[name] };
}

/** The way of an incarnation to its transport. */
export function openedAs(dialect: Dialect, options: SessionOptions, open: OpenTransport): OpenTransport {
  return dialect.open?.(open, options) ?? open;
}
