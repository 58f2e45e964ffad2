import { styleText } from 'node:util';

/** One line of the board. */
export interface BoardRow {
  readonly id: string;
  readonly state: string;
  readonly note: string;
}

const COLORS: Readonly<Record<string, 'green' | 'yellow' | 'red' | 'cyan' | 'gray'>> = {
  ready: 'green',
  'awaiting-permission': 'yellow',
  failed: 'red',
  closed: 'gray',
};

/** A live table of session states on a terminal; a line for each change anywhere else. */
export class Board {
  readonly #write: (text: string) => void;
  readonly #isLive: boolean;
  readonly #rows = new Map<string, BoardRow>();
  #drawnLines = 0;

  constructor(write: (text: string) => void, isLive: boolean) {
    this.#write = write;
    this.#isLive = isLive;
  }

  set(row: BoardRow): void {
    const former = this.#rows.get(row.id);
    this.#rows.set(row.id, row);
    if (this.#isLive) this.#draw();
    else if (former?.state !== row.state || former.note !== row.note) this.#write(`${plain(row)}\n`);
  }

  #draw(): void {
    const up = this.#drawnLines === 0 ? '' : `\x1b[${this.#drawnLines}A`;
    const lines = [...this.#rows.values()].map((row) => `\x1b[2K${colored(row)}\n`);
    this.#drawnLines = lines.length;
    this.#write(up + lines.join(''));
  }
}

function plain({ id, state, note }: BoardRow): string {
  return `  ${id.padEnd(12)} ${state.padEnd(20)} ${note}`.trimEnd();
}

function colored({ id, state, note }: BoardRow): string {
  const color = COLORS[state] ?? 'cyan';
  return `  ${styleText('bold', id.padEnd(12))} ${styleText(color, state.padEnd(20))} ${styleText('gray', note.slice(0, 60))}`;
}
