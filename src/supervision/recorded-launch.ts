import type { Clock } from '../clock.ts';
import { recordOptions } from '../launch/record-options.ts';
import type { SessionOptions } from '../launch/session-options.ts';
import { recordingPathIn, SessionTape } from '../recording/session-tape.ts';
import type { Redaction } from '../redaction/redaction.ts';
import type { OpenTransport } from '../transport/transport.ts';
import type { StoreLink } from './store-link.ts';

export interface TapeAround {
  /** Where the supervisor records every session. */
  readonly folder: SessionOptions['record'];
  readonly clock: Clock;
  readonly redaction: Redaction;
  readonly maxLineBytes: number;
  readonly tell: (detail: string) => void;
}

/** The recording of a session; undefined where neither it nor its supervisor wants one. */
export function tapeOf(id: string, own: SessionOptions['record'], around: TapeAround): SessionTape | undefined {
  const { folder, clock, redaction, maxLineBytes, tell } = around;
  const given = own ?? folder;
  if (given === undefined) return undefined;
  const { path, ifExists, maxBytes } = recordOptions(given);
  return new SessionTape({
    path: own === undefined ? recordingPathIn(path, id) : path,
    replaces: ifExists === 'replace',
    maxBytes,
    session: id,
    maxLineBytes,
    redaction,
    clock,
    onStopped: tell,
  });
}

/** The same way to a process, on the tape. */
export function recordedOpen(open: OpenTransport, tape: SessionTape | undefined): OpenTransport {
  return tape === undefined ? open : tape.recorded(open);
}

/** What is done when the session is over; undefined for nothing. */
export function cleanUpAfter(store: StoreLink | undefined, tape: SessionTape | undefined) {
  if (store === undefined && tape === undefined) return undefined;
  return async (): Promise<void> => {
    await Promise.all([store?.dispose(), tape?.close()]);
  };
}
