import { SparseMap } from '../sparse.ts';
import { CliMessage } from '../wire/cli-message.ts';
import { type DeltaLayout, ID_BYTES } from '../wire/delta-layout.ts';
import { isRecord } from '../wire/fields.ts';
import type { LineRun } from '../wire/line-run.ts';
import { Beginnings } from './beginnings.ts';
import { startsAt } from './byte-scanner.ts';
import { literalEnd } from './json-literals.ts';
import type { Secrets } from './secrets.ts';
import { SplitText } from './split-text.ts';

/** The pieces of a text, and where the text stands in each (WIRE §10). */
const FIELDS = { text_delta: 'text', thinking_delta: 'thinking', input_json_delta: 'partial_json' } as const;

/** How nearly every such line looks; a line that does not is parsed. */
const DELTA = Buffer.from('_delta","');
const OPENINGS = Object.values(FIELDS).map((field) => Buffer.from(`${field}":"`));
/** From the text on to the call of the agent that speaks; behind that each line has an id of its own. */
const BYTES_TO_PARENT = '"}},"session_id":"00000000-0000-0000-0000-000000000000","parent_tool_use_id":null'.length;

interface Block {
  readonly parent: unknown;
  readonly split: SplitText;
  /** The newest piece: what was held back is told in a line like it. */
  last: Piece;
}

interface Piece {
  readonly value: Readonly<Record<string, unknown>>;
  readonly event: Readonly<Record<string, unknown>>;
  readonly delta: Readonly<Record<string, unknown>>;
  readonly field: string;
  readonly text: string;
}

/** A piece that was told as it came, the end of which may be the first bytes of a secret. */
interface Told {
  readonly message: CliMessage;
  readonly start: number;
  readonly end: number;
  readonly state: number;
  /** Whose state it is: with more secrets there are others. */
  readonly beginnings: Beginnings;
  /** Of a line of a run: every line with it is of the same block. */
  readonly layout?: DeltaLayout;
}

/**
 * Finds secrets that the CLI writes in several pieces of one answer. The lines keep their order: only the end of a text that
 * may begin a secret moves into the next piece of its block, or into one more before the block ends.
 */
export class SplitDeltas {
  readonly #secrets: () => Secrets;
  /** Blocks of which something is held back. */
  readonly #blocks = new SparseMap<string, Block>();
  /** The newest piece, where it matters for the next. */
  #told: Told | undefined;
  /** Layouts that hold none of these secrets themselves. */
  #clean: { readonly secrets: Secrets; readonly layouts: WeakSet<DeltaLayout> } | undefined;

  constructor(secrets: () => Secrets) {
    this.#secrets = secrets;
  }

  /** What is told in place of the message, in order; undefined where it is a piece whose text needs no more than a look. */
  take(message: CliMessage): readonly CliMessage[] | undefined {
    if (message.type !== 'stream_event') return [...this.#endBefore(message), message];
    if (this.#blocks.size === 0 && this.#isPlain(message)) return undefined;
    this.#remember();
    const piece = pieceOf(message);
    return piece === undefined ? [...this.#endBefore(message), message] : [this.#push(message, piece)];
  }

  /**
   * Takes lines of a run, from one of them on, as far as they neither hold nor begin a secret: how many. They are told as they
   * came.
   */
  takePlain(run: LineRun, first: number): number {
    if (this.#blocks.size > 0 || !this.#isGoingOn(run, first) || !this.#isClean(run.layout)) return 0;
    const secrets = this.#secrets();
    const { beginnings } = secrets;
    const { bytes, count, ends, layout } = run;
    let state = this.#told?.state ?? Beginnings.NOTHING;
    let start = run.start(first);
    let at = first;
    for (; at < count; at += 1) {
      const end = (ends[at] ?? 0) + 1;
      const textEnd = end - layout.tailLength;
      const idStart = textEnd + layout.idOffset;
      const next = beginnings.read(state, bytes, start + layout.headLength, textEnd);
      if (next === Beginnings.FOUND || beginnings.isAmid(next)) break;
      if (secrets.hasKnown(bytes, idStart, idStart + ID_BYTES)) break;
      state = next;
      start = end;
    }
    if (at === first) return 0;
    this.#told = state === Beginnings.NOTHING ? undefined : lastOf(run, at - 1, state, beginnings);
    return at - first;
  }

  /** The process is over. */
  end(): readonly CliMessage[] {
    this.#told = undefined;
    return this.#end(() => true);
  }

  /** A piece whose text neither holds nor begins a secret, seen without parsing it; of what stands around the text it says nothing. */
  #isPlain(message: CliMessage): boolean {
    const { line: raw } = message;
    // The last: the kind of the event ends alike.
    const at = raw.lastIndexOf(DELTA);
    const opening = OPENINGS.find((bytes) => startsAt(raw, at + DELTA.length, bytes, bytes.length));
    if (at === -1 || opening === undefined) return false;
    const start = at + DELTA.length + opening.length;
    const end = literalEnd(raw, start);
    const told = this.#told;
    const { beginnings } = this.#secrets();
    if (told !== undefined && (told.beginnings !== beginnings || !isSameBlock(told, raw, start, end))) return false;
    const state = beginnings.read(told?.state ?? Beginnings.NOTHING, raw, start, end);
    if (state === Beginnings.FOUND || beginnings.isAmid(state)) return false;
    this.#told = state === Beginnings.NOTHING ? undefined : { message, start, end, state, beginnings };
    return true;
  }

  #isGoingOn(run: LineRun, index: number): boolean {
    const told = this.#told;
    if (told === undefined) return true;
    if (told.beginnings !== this.#secrets().beginnings) return false;
    if (told.layout === run.layout) return true;
    const start = run.start(index);
    return isSameBlock(told, run.line(index), run.textStart(index) - start, run.textEnd(index) - start);
  }

  /** What stands around the texts of its lines, beside their ids, holds no secret. */
  #isClean(layout: DeltaLayout): boolean {
    const secrets = this.#secrets();
    if (this.#clean?.secrets !== secrets) this.#clean = { secrets, layouts: new WeakSet() };
    const { layouts } = this.#clean;
    if (layouts.has(layout)) return true;
    if (secrets.bytes(layout.around) !== layout.around) return false;
    layouts.add(layout);
    return true;
  }

  /** The piece before this one turns out to matter. */
  #remember(): void {
    if (this.#told === undefined) return;
    const { message, state, beginnings } = this.#told;
    const piece = pieceOf(message);
    this.#told = undefined;
    const seen = decoded(beginnings.bytesOf(state));
    if (piece === undefined || seen === undefined) return;
    const split = new SplitText(this.#secrets(), seen);
    this.#blocks.set(keyOf(piece), { parent: parentOf(piece.value), split, last: piece });
  }

  #push(message: CliMessage, piece: Piece): CliMessage {
    const key = keyOf(piece);
    const block = this.#blocks.get(key) ?? {
      parent: parentOf(piece.value),
      split: new SplitText(this.#secrets()),
      last: piece,
    };
    block.last = piece;
    const told = block.split.push(piece.text);
    if (block.split.isOpen) this.#blocks.set(key, block);
    else this.#blocks.delete(key);
    return told === piece.text ? message : messageOf(piece, piece.value, told);
  }

  /** A block is over when anything else comes of the same speaker, or a result. */
  #endBefore(message: CliMessage): readonly CliMessage[] {
    if (this.#blocks.size === 0) return [];
    if (message.type === 'result') return this.end();
    if ((message.type !== 'stream_event' && message.type !== 'assistant') || isPing(message)) return [];
    const parent = parentOf(message.value ?? {});
    return this.#end((block) => block.parent === parent);
  }

  #end(isOver: (block: Block) => boolean): readonly CliMessage[] {
    const told: CliMessage[] = [];
    for (const [key, block] of this.#blocks) {
      if (!isOver(block)) continue;
      this.#blocks.delete(key);
      const rest = block.split.end();
      if (rest !== '') told.push(extraMessage(block.last, rest));
    }
    return told;
  }
}

/** The run is lent. */
function lastOf(run: LineRun, index: number, state: number, beginnings: Beginnings): Told {
  const message = new CliMessage(Buffer.from(run.line(index)), 'stream_event', undefined);
  const start = run.start(index);
  const [textStart, textEnd] = [run.textStart(index) - start, run.textEnd(index) - start];
  return { message, start: textStart, end: textEnd, state, beginnings, layout: run.layout };
}

/** Before the text stands the number of the block, behind it who speaks. Also where they only may be the same this is false. */
function isSameBlock(told: Told, raw: Buffer, start: number, end: number): boolean {
  const former = told.message.line;
  return (
    told.start === start &&
    former.compare(raw, 0, start, 0, start) === 0 &&
    former.compare(raw, end, upTo(raw, end), told.end, upTo(former, told.end)) === 0
  );
}

function upTo(raw: Buffer, end: number): number {
  return Math.min(raw.length, end + BYTES_TO_PARENT);
}

function keyOf({ value, event }: Piece): string {
  return JSON.stringify([parentOf(value), event['index']]);
}

function parentOf(value: Readonly<Record<string, unknown>>): unknown {
  return value['parent_tool_use_id'] ?? null;
}

function isPing(message: CliMessage): boolean {
  const event = message.value?.['event'];
  return isRecord(event) && event['type'] === 'ping';
}

function pieceOf(message: CliMessage): Piece | undefined {
  const { value } = message;
  const event = value?.['event'];
  if (value === undefined || !isRecord(event) || event['type'] !== 'content_block_delta') return undefined;
  const { delta } = event;
  if (!isRecord(delta)) return undefined;
  const field = Object.entries(FIELDS).find(([type]) => type === delta['type'])?.[1];
  const text = field === undefined ? undefined : delta[field];
  return field !== undefined && typeof text === 'string' ? { value, event, delta, field, text } : undefined;
}

/** Bytes of a text in JSON, decoded; undefined where they begin in the middle of an escape. */
function decoded(bytes: Buffer): Buffer | undefined {
  try {
    return Buffer.from(String(JSON.parse(`"${bytes}"`)));
  } catch {
    return undefined;
  }
}

/** A line that the CLI never wrote bears no id of it. */
function extraMessage(piece: Piece, text: string): CliMessage {
  const { uuid: _uuid, ...value } = piece.value;
  return messageOf(piece, value, text);
}

function messageOf({ event, delta, field }: Piece, value: Readonly<Record<string, unknown>>, text: string): CliMessage {
  const line = { ...value, event: { ...event, delta: { ...delta, [field]: text } } };
  return new CliMessage(Buffer.from(JSON.stringify(line)), 'stream_event', undefined);
}
