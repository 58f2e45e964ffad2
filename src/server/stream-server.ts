import type { Readable, Writable } from 'node:stream';
import { SCOPES, type Scope } from './access.ts';
import { frontEndEngine } from './front-end-engine.ts';
import type { CutReason } from './json-rpc/front-end-link.ts';
import { serveStream } from './json-rpc/stream-link.ts';
import { parseServerOptions, type ServerOptions } from './server-options.ts';

/** With what one front end is served over a pair of streams. */
export interface StreamServerOptions extends Pick<ServerOptions, 'roots' | 'openOptions' | 'limits' | 'clock'> {
  /** Whose sessions it works on. It is neither drained nor shut down here. */
  readonly supervisor: ServerOptions['supervisor'];
  /** What the front end says, one JSON text a line. */
  readonly input: Readable;
  /** What it is told. Nothing else may write there. */
  readonly output: Writable;
  /** Stands in the log beside what it decides. Default `front-end`. */
  readonly name?: string;
  /** What it may do: whoever holds the other ends of the streams needs no token. Default: everything. */
  readonly scopes?: readonly Scope[];
  /** How long what it asked may go on once it says nothing more, in milliseconds. Default 30 000. */
  readonly drainMs?: number;
}

/** A front end that is served. */
export interface StreamServer {
  /** Resolves when it is over, with the reason where it was ended from this side. */
  readonly ended: Promise<CutReason | undefined>;
  /** Tells the front end that the engine ends, and takes nothing more. Idempotent. */
  close(): void;
}

/** Serves one front end of the JSON-RPC dialect over streams, such as stdin and stdout. Throws INVALID_OPTIONS. */
export function serveFrontEnd(options: StreamServerOptions): StreamServer {
  const { input, output, name = 'front-end', scopes = SCOPES, drainMs, ...rest } = options;
  const settings = parseServerOptions(rest);
  const engine = frontEndEngine(options.supervisor, settings, drainMs === undefined ? {} : { drainMs });
  const ended = new Promise<CutReason | undefined>((resolve) => {
    serveStream(engine, {
      input,
      output,
      frontEnd: { name, scopes: new Set(scopes) },
      // Both belong to whoever gave them.
      close: () => {},
      onEnded: (reason) => {
        // What it still says is read by nobody, and must not keep the process.
        input.pause();
        resolve(reason);
      },
    });
  });
  return { ended, close: () => engine.close() };
}
