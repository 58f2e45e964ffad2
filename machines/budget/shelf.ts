/**
 * A map that is never changed, in the order in which its entries came, as JSON. A new one shares all but a small part with the
 * one before: with ten thousand sessions each event would else copy ten thousand entries (P10).
 */
export interface Shelf<T> {
  readonly size: number;
  /** The place of the next new entry. */
  readonly next: number;
  readonly boards: Readonly<Record<number, Board<T>>>;
}

type Board<T> = Readonly<Record<string, { readonly place: number; readonly value: T }>>;

const BOARDS = 128;

export function emptyShelf<T>(): Shelf<T> {
  return { size: 0, next: 0, boards: {} };
}

export function lookUp<T>(shelf: Shelf<T>, id: string): T | undefined {
  const board = shelf.boards[boardOf(id)];
  // An id may be called like something that every object has.
  return board !== undefined && Object.hasOwn(board, id) ? board[id]?.value : undefined;
}

/** With these entries; one that was there keeps its place. */
export function put<T>(shelf: Shelf<T>, entries: Iterable<readonly [id: string, value: T]>): Shelf<T> {
  const boards: Record<number, Board<T>> = { ...shelf.boards };
  let { size, next } = shelf;
  for (const [id, value] of entries) {
    const number = boardOf(id);
    const board = boards[number] ?? {};
    const known = Object.hasOwn(board, id) ? board[id] : undefined;
    const place = known?.place ?? next;
    if (known === undefined) {
      size += 1;
      next += 1;
    }
    boards[number] = Object.fromEntries([...Object.entries(board), [id, { place, value }]]);
  }
  return { size, next, boards };
}

export function drop<T>(shelf: Shelf<T>, ids: Iterable<string>): Shelf<T> {
  const boards: Record<number, Board<T>> = { ...shelf.boards };
  let { size } = shelf;
  for (const id of ids) {
    const number = boardOf(id);
    const board = boards[number];
    if (board === undefined || !Object.hasOwn(board, id)) continue;
    boards[number] = Object.fromEntries(Object.entries(board).filter(([other]) => other !== id));
    size -= 1;
  }
  return { ...shelf, size, boards };
}

/** All entries, in the order in which they came. */
export function entriesOf<T>(shelf: Shelf<T>): [id: string, value: T][] {
  const slots = Object.values(shelf.boards).flatMap((board) => Object.entries(board));
  return slots.sort(([, one], [, other]) => one.place - other.place).map(([id, { value }]) => [id, value]);
}

export function valuesOf<T>(shelf: Shelf<T>): T[] {
  return entriesOf(shelf).map(([, value]) => value);
}

function boardOf(id: string): number {
  let hash = 7;
  for (let index = 0; index < id.length; index += 1) hash = (hash * 31 + id.charCodeAt(index)) | 0;
  return Math.abs(hash % BOARDS);
}
