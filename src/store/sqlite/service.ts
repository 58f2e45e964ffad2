import { TroupeError } from '../../errors.ts';
import type { LogHead, Pruned, RetentionPolicy, SessionEntry, SessionSnapshot } from '../store.ts';
import { type Claimant, claim, type StandingClaim } from './claim.ts';
import type { OpenDatabase } from './driver.ts';
import { storeFailure } from './failure.ts';
import { type PackedChanges, type PackedEvents, unpackChanges } from './packing.ts';
import { type PageRequest, SqliteReader } from './reader.ts';
import { realPathOf, SqliteWriter, type WriterOptions } from './writer.ts';

/** What a thread can be asked: the name of each request, what it is given, what it answers. */
export interface Requests {
  readonly openWriter: (options: WriterOptions) => void;
  /** Asks whoever writes to let go, until this thread writes or is closed. */
  readonly claim: (options: { readonly path: string; readonly waitMs: number }) => void;
  /** Who asks this writer to let go. */
  readonly claimant: (nothing: undefined) => Claimant | undefined;
  readonly openReader: (options: { readonly path: string }) => void;
  readonly commit: (changes: PackedChanges) => Committed;
  readonly prune: (policy: RetentionPolicy) => Pruned | undefined;
  readonly head: (sessionId: string) => LogHead | undefined;
  readonly page: (request: PageRequest) => { readonly head: LogHead; readonly events: PackedEvents } | undefined;
  readonly snapshot: (sessionId: string) => SessionSnapshot | undefined;
  readonly sessions: (afterKey: number) => { readonly entries: SessionEntry[]; readonly nextKey: number | undefined };
  readonly close: (nothing: undefined) => void;
}

/** For each change why it was refused, and the memory that its bytes came in: for those of the next. */
export interface Committed {
  readonly refusals: readonly (Failure | undefined)[];
  readonly memory: ArrayBuffer;
}

export type RequestName = keyof Requests;
export type RequestOf<Name extends RequestName> = Parameters<Requests[Name]>[0];
export type AnswerOf<Name extends RequestName> = ReturnType<Requests[Name]>;

/** An error as it crosses between threads, which know nothing of each other's classes. */
export interface Failure {
  readonly code: TroupeError['code'];
  readonly reason: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;
  /** What went wrong below, as text. */
  readonly cause: string | undefined;
}

/** One thread's worth of SQLite: a writer, or a reader. Everything here blocks. */
export class SqliteService implements Requests {
  readonly #open: OpenDatabase;
  #writer: SqliteWriter | undefined;
  #claim: StandingClaim | undefined;
  #reader: SqliteReader | undefined;

  constructor(open: OpenDatabase) {
    this.#open = open;
  }

  readonly openWriter = (options: WriterOptions): void => {
    this.#writer = new SqliteWriter(this.#open, options, Date.now());
    this.#letGo();
  };

  readonly claim: Requests['claim'] = ({ path, waitMs }) => {
    this.#claim ??= claim(this.#open, realPathOf(path), Date.now(), waitMs);
  };

  readonly claimant = (): Claimant | undefined => opened(this.#writer).claimant();

  readonly openReader = ({ path }: { readonly path: string }): void => {
    this.#reader = new SqliteReader(this.#open, path);
  };

  readonly commit = (changes: PackedChanges): Committed => {
    const refusals = opened(this.#writer).commit(unpackChanges(changes));
    return { refusals: refusals.map((refusal) => refusal && failureOf(refusal)), memory: changes.events.bytes.buffer };
  };

  readonly prune = (policy: RetentionPolicy): Pruned | undefined => opened(this.#writer).prune(policy);
  readonly head = (sessionId: string): LogHead | undefined => opened(this.#reader).head(sessionId);
  readonly page: Requests['page'] = (request) => opened(this.#reader).page(request);
  readonly snapshot: Requests['snapshot'] = (sessionId) => opened(this.#reader).snapshot(sessionId);
  readonly sessions: Requests['sessions'] = (afterKey) => opened(this.#reader).sessions(afterKey);

  readonly close = (): void => {
    this.#reader?.close();
    this.#writer?.close();
    this.#letGo();
    this.#reader = undefined;
    this.#writer = undefined;
  };

  #letGo(): void {
    this.#claim?.release();
    this.#claim = undefined;
  }
}

/** What an answer hands over instead of copying it. */
export function handedOver(answer: unknown): ArrayBuffer[] {
  const isCommitted = typeof answer === 'object' && answer !== null && 'memory' in answer;
  return isCommitted && answer.memory instanceof ArrayBuffer ? [answer.memory] : [];
}

export function failureOf(error: unknown): Failure {
  const { code, reason, details, cause } = storeFailure(error, '');
  return { code, reason, details, cause: cause instanceof Error ? cause.message : undefined };
}

export function errorOf({ code, reason, details, cause }: Failure): TroupeError {
  return new TroupeError(code, { reason, details, ...(cause !== undefined && { cause: new Error(cause) }) });
}

function opened<Thing>(thing: Thing | undefined): Thing {
  if (thing === undefined) throw new TroupeError('STORE_CLOSED');
  return thing;
}
