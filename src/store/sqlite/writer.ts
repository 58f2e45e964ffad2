import { closeSync, openSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { TroupeError } from '../../errors.ts';
import { conflictOf, conversationInUse, EMPTY_HEAD, headAfter, weightOfEvents } from '../change-check.ts';
import type { LogHead, Pruned, RetentionPolicy } from '../store.ts';
import { type Claimant, ClaimWatch } from './claim.ts';
import type { Database, OpenDatabase, Row, Statement } from './driver.ts';
import { openFailure, storeFailure } from './failure.ts';
import { Fence, heldError, lock } from './lease.ts';
import type { PlainChange, WrittenRecord } from './packing.ts';
import { Pruner } from './pruner.ts';
import { RecordSheet } from './record-sheet.ts';
import { CONNECTION_PRAGMAS, checkSchema, migrate, pragma, prepareToWrite, rollBack } from './schema.ts';
import { damageError } from './survey.ts';

export interface WriterOptions {
  readonly path: string;
  /** The file grows no further; at least one page. Default: as far as the disk goes. */
  readonly maxFileBytes?: number | undefined;
}

/** A session that was written to lately. */
interface Known {
  readonly key: number;
  head: LogHead;
  /** What a transaction has still to say of it: bytes that came, and whether anything did. */
  bytes: number;
  isTouched: boolean;
  /** What was last said of its end and of the conversation it has open; undefined while that is not known. */
  standing: string | undefined;
}

/** Sessions whose heads are remembered between commits; more are read again. */
const MAX_KNOWN = 10_000;

/** The one connection that writes. Everything here blocks, so it lives in a thread of its own. */
export class SqliteWriter {
  readonly #path: string;
  readonly #database: Database;
  readonly #lock: Database;
  readonly #claims: ClaimWatch;
  readonly #fence: Fence;
  readonly #pruner: Pruner;
  readonly #statements: ReturnType<typeof prepareAll>;
  readonly #known = new Map<string, Known>();
  /** Those that this transaction changed. */
  readonly #touched: Known[] = [];
  readonly #sheet: RecordSheet;

  constructor(open: OpenDatabase, options: WriterOptions, now: number) {
    const path = realPathOf(options.path);
    this.#path = path;
    const held = guarded(path, () => lock(open, path));
    if (held === undefined) throw heldError(path, holderRow(open, path));
    this.#lock = held;
    this.#claims = new ClaimWatch(open, path);
    let database: Database | undefined;
    try {
      closeSync(openSync(path, 'a', 0o600)); // Conversations are for nobody else; SQLite would ask the umask.
      database = open(path);
      database.exec(CONNECTION_PRAGMAS);
      checkSchema(database, path);
      prepareToWrite(database);
      migrate(database);
      limitSize(database, options.maxFileBytes);
      this.#fence = new Fence(database, path, now);
      this.#statements = prepareAll(database);
      this.#sheet = new RecordSheet(database);
      this.#pruner = new Pruner(database);
      this.#database = database;
    } catch (error) {
      const failure = openFailure(error, path);
      const told = failure.code === 'STORE_DAMAGED' ? damageError(open, path, failure) : failure;
      database?.close();
      this.#lock.close();
      throw told;
    }
  }

  /** One transaction. For each change the error it is refused with, or undefined; throws when nothing at all was kept. */
  commit(changes: readonly PlainChange[]): (TroupeError | undefined)[] {
    return this.#transaction(() => {
      const refusals = changes.map((change) => this.#write(change));
      // Once for all that this transaction says of a session, or of a record.
      for (const known of this.#touched.splice(0)) this.#touch(known);
      this.#sheet.write();
      return refusals;
    });
  }

  /** One step of the way to what the policy asks for; undefined when there is nothing left to do. */
  prune(policy: RetentionPolicy): Pruned | undefined {
    // What is remembered of heads says nothing of where a log begins.
    const pruned = this.#transaction(() => this.#pruner.step(policy));
    if (pruned !== undefined) this.#known.clear();
    return pruned;
  }

  /** Who asks this one to let go. */
  claimant(): Claimant | undefined {
    return this.#claims.look();
  }

  close(): void {
    this.#claims.close();
    try {
      // Readers in other programs find one file; what fails here is found by the next who opens it.
      this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // The log of the file is complete without it.
    }
    this.#database.close();
    this.#lock.close();
  }

  #transaction<Result>(work: () => Result): Result {
    try {
      this.#database.exec('BEGIN IMMEDIATE');
      this.#fence.check();
      const result = work();
      this.#database.exec('COMMIT');
      if (this.#known.size > MAX_KNOWN) this.#known.clear();
      return result;
    } catch (error) {
      rollBack(this.#database);
      this.#known.clear();
      this.#touched.length = 0;
      this.#sheet.clear();
      throw storeFailure(error, this.#path);
    }
  }

  #write(change: PlainChange): TroupeError | undefined {
    const found = this.#find(change.sessionId);
    const refusal = conflictOf(found?.head ?? EMPTY_HEAD, change) ?? this.#rivalOf(change);
    if (refusal !== undefined) return refusal;
    const known = found ?? this.#add(change.sessionId, change.firstSeq);
    const { addEvent } = this.#statements;
    for (const { seq, epoch, at, type, data, count = 1 } of change.events) {
      addEvent.run(known.key, seq, epoch, at, type, data, count);
    }
    for (const record of change.records ?? []) this.#remember(known, record);
    for (const { kind, id } of change.forget ?? []) this.#sheet.forget(known.key, kind, id);
    known.head = headAfter(known.head, change);
    known.bytes += weightOfEvents(change);
    if (!known.isTouched) this.#touched.push(known);
    known.isTouched = true;
    this.#known.set(change.sessionId, known);
    return undefined;
  }

  #remember(known: Known, record: WrittenRecord): void {
    const { kind, id, body, endedAt = null, openConversation = null } = record;
    if (kind === 'session') {
      const standing = `${endedAt} ${openConversation}`;
      // At once: the next change of this transaction may open the conversation that this one let go.
      if (standing !== known.standing) this.#statements.setSession.run(endedAt, openConversation, known.key);
      known.standing = standing;
    }
    this.#sheet.set(known.key, kind, id, body);
  }

  #touch(known: Known): void {
    const { head, bytes, key } = known;
    this.#statements.touch.run(head.lastSeq, head.epoch, bytes, key);
    known.bytes = 0;
    known.isTouched = false;
  }

  /** Another session that has the conversation open which this change opens. */
  #rivalOf({ sessionId, records = [] }: PlainChange): TroupeError | undefined {
    for (const { openConversation } of records) {
      if (openConversation === undefined) continue;
      const holder = this.#statements.whoHas.get(openConversation, sessionId)?.['id'];
      if (holder !== undefined) return conversationInUse(sessionId, openConversation, String(holder));
    }
    return undefined;
  }

  #find(sessionId: string): Known | undefined {
    const known = this.#known.get(sessionId);
    if (known !== undefined) return known;
    const row = this.#statements.findSession.get(sessionId);
    if (row === undefined) return undefined;
    return { key: Number(row['key']), head: headOf(row), bytes: 0, isTouched: false, standing: undefined };
  }

  #add(sessionId: string, firstSeq = 1): Known {
    this.#statements.addSession.run(sessionId, firstSeq - 1, firstSeq);
    const known = this.#find(sessionId);
    if (known === undefined) throw new Error('A row that was added is not there.');
    return known;
  }
}

export function headOf(row: Row): LogHead {
  return { lastSeq: Number(row['last_seq']), firstSeq: Number(row['first_seq']), epoch: Number(row['epoch']) };
}

function prepareAll(
  database: Database,
): Record<'addEvent' | 'touch' | 'setSession' | 'whoHas' | 'findSession' | 'addSession', Statement> {
  return {
    addEvent: database.prepare(
      'INSERT INTO events (session, seq, epoch, at, type, data, count) VALUES (?, ?, ?, ?, ?, ?, ?)',
    ),
    touch: database.prepare('UPDATE sessions SET last_seq = ?, epoch = ?, bytes = bytes + ? WHERE key = ?'),
    setSession: database.prepare('UPDATE sessions SET ended_at = ?, open_conversation = ? WHERE key = ?'),
    whoHas: database.prepare('SELECT id FROM sessions WHERE open_conversation = ? AND id <> ?'),
    findSession: database.prepare('SELECT key, last_seq, first_seq, epoch FROM sessions WHERE id = ?'),
    addSession: database.prepare('INSERT INTO sessions (id, epoch, last_seq, first_seq, bytes) VALUES (?, 0, ?, ?, 0)'),
  };
}

/** The folder must be there; the file need not. One file has one name, however it was reached. */
export function realPathOf(path: string): string {
  return guarded(path, () => {
    try {
      return realpathSync(path);
    } catch {
      return join(realpathSync(dirname(path)), basename(path));
    }
  });
}

function holderRow(open: OpenDatabase, path: string): Row | undefined {
  try {
    const database = open(path, { readOnly: true });
    try {
      return database.prepare('SELECT pid, host, since FROM holder').get();
    } finally {
      database.close();
    }
  } catch {
    return undefined; // It is just being made.
  }
}

function limitSize(database: Database, maxFileBytes: number | undefined): void {
  if (maxFileBytes === undefined) return;
  const pages = Math.max(1, Math.floor(maxFileBytes / pragma(database, 'page_size')));
  database.exec(`PRAGMA max_page_count = ${pages}`);
}

function guarded<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw openFailure(error, path);
  }
}
