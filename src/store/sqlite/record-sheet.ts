import type { Database, Statement } from './driver.ts';

interface Line {
  readonly session: number;
  readonly kind: string;
  readonly id: string;
  /** Undefined when it is gone. */
  body: string | undefined;
  /** It was forgotten in this transaction before: should it come again, it comes last. */
  isNew: boolean;
}

/**
 * What one transaction says of records: the last word on each is written, once. A session whose record follows every event would
 * else be written as often.
 */
export class RecordSheet {
  readonly #set: Statement;
  readonly #forget: Statement;
  readonly #lines = new Map<string, Line>();

  constructor(database: Database) {
    this.#forget = database.prepare('DELETE FROM records WHERE session = ? AND kind = ? AND id = ?');
    this.#set = database.prepare(
      `INSERT INTO records (session, kind, id, body) VALUES (?, ?, ?, ?)
       ON CONFLICT (session, kind, id) DO UPDATE SET body = excluded.body`,
    );
  }

  set(session: number, kind: string, id: string, body: string): void {
    const name = `${session} ${kind} ${id}`;
    const line = this.#lines.get(name);
    if (line?.body !== undefined) line.body = body;
    else {
      this.#lines.delete(name);
      this.#lines.set(name, { session, kind, id, body, isNew: line !== undefined });
    }
  }

  forget(session: number, kind: string, id: string): void {
    const name = `${session} ${kind} ${id}`;
    this.#lines.set(name, { session, kind, id, body: undefined, isNew: false });
  }

  /** To be called inside the transaction, at its end. */
  write(): void {
    for (const { session, kind, id, body, isNew } of this.#lines.values()) {
      if (body === undefined || isNew) this.#forget.run(session, kind, id);
      if (body !== undefined) this.#set.run(session, kind, id, body);
    }
    this.#lines.clear();
  }

  clear(): void {
    this.#lines.clear();
  }
}
