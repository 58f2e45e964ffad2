import { parseRecord } from './fields.ts';
import { gapOf, type KnownMessage, recognize } from './stream-json/known-message.ts';

/** A message as its schema describes it, or the reason why no schema does; the content is there in both cases (P6). */
export type MessageView =
  | { readonly recognized: true; readonly message: KnownMessage }
  | {
      readonly recognized: false;
      /** The parsed line; undefined when it does not parse. */
      readonly value: unknown;
      readonly reason: 'unknown-type' | 'unknown-subtype' | 'unexpected-shape';
    };

const NOTHING = Buffer.alloc(0);
const LINE_FEED = Buffer.from('\n');

/** One conversation line of the CLI: its bytes always, its content on demand. Nothing here throws. */
export class CliMessage {
  readonly type: string;
  /** Undefined also where the line has a type that knows no subtypes. */
  readonly subtype: string | undefined;
  #raw: Buffer;
  /** Where its line stands, where it is one of many. */
  #run: { line(index: number): Buffer; value(index: number): Record<string, unknown> } | undefined;
  #index = 0;
  #value: Record<string, unknown> | undefined;
  #isParsed: boolean;
  #view: MessageView | undefined;
  #line: Buffer | undefined;
  #isTranslated = false;
  #hasLineFeed = false;

  /** Give `value` when the line is parsed already. */
  constructor(raw: Buffer, type: string, subtype: string | undefined, value?: Record<string, unknown>) {
    this.#raw = raw;
    this.type = type;
    this.subtype = subtype;
    this.#value = value;
    this.#isParsed = value !== undefined;
  }

  /**
   * A message of another dialect: `raw` is what the peer wrote, `value` what it means in the spelling of `stream-json`, in which
   * everybody behind the codec reads it. One line may hold several messages; each carries it.
   */
  static translated(raw: Buffer, value: { readonly type: string } & Readonly<Record<string, unknown>>): CliMessage {
    const subtype = value['subtype'];
    const message = new CliMessage(raw, value.type, typeof subtype === 'string' ? subtype : undefined, { ...value });
    message.#isTranslated = true;
    return message;
  }

  /** One line of a run: its bytes and its content are read from there. */
  static ofRun(
    run: { line(index: number): Buffer; value(index: number): Record<string, unknown> },
    index: number,
  ): CliMessage {
    const message = new CliMessage(NOTHING, 'stream_event', undefined);
    message.#run = run;
    message.#index = index;
    return message;
  }

  /** The line as the peer wrote it, without its line end and the white space around it; may be a view of a larger buffer. */
  get raw(): Buffer {
    if (this.#raw === NOTHING && this.#run !== undefined) this.#raw = this.#run.line(this.#index);
    return this.#raw;
  }

  /** True when the peer wrote it in another dialect than `stream-json`. */
  get isTranslated(): boolean {
    return this.#isTranslated;
  }

  /** The line in the spelling of `stream-json`: the bytes of `raw`, unless it was translated. */
  get line(): Buffer {
    if (!this.#isTranslated) return this.raw;
    this.#line ??= Buffer.from(JSON.stringify(this.#value));
    return this.#line;
  }

  /** Lets the bytes live elsewhere: `settle` returns equal ones. What was parsed stays, for everybody who holds the message. */
  moveBytes(settle: (raw: Buffer) => Buffer): void {
    this.#raw = settle(this.raw);
    this.#run = undefined;
    this.#hasLineFeed = false;
  }

  /** The same for a line that `settle` returns with its line feed behind it, in memory where that stays. */
  moveLine(settle: (raw: Buffer) => Buffer): void {
    this.moveBytes(settle);
    this.#hasLineFeed = true;
  }

  /** `raw` with a line feed. */
  get rawLine(): Buffer {
    const { raw } = this;
    if (this.#hasLineFeed) return Buffer.from(raw.buffer, raw.byteOffset, raw.length + 1);
    return Buffer.concat([raw, LINE_FEED]);
  }

  /** `line` as text, decoded anew on each call. */
  get text(): string {
    return this.line.toString('utf8');
  }

  /** The parsed line, parsed once and shared: do not change it. Undefined when the line is corrupt. */
  get value(): Record<string, unknown> | undefined {
    if (!this.#isParsed) {
      this.#value = this.#run?.value(this.#index) ?? parseRecord(this.text);
      this.#isParsed = true;
    }
    return this.#value;
  }

  /** The message under its schema, validated once. */
  get view(): MessageView {
    this.#view ??= this.#recognize();
    return this.#view;
  }

  /** True when a schema is there for messages of this kind; nothing is parsed or checked for the answer. */
  get isKnownKind(): boolean {
    return gapOf(this.type, this.subtype) === undefined;
  }

  #recognize(): MessageView {
    const value = this.value;
    if (value === undefined) return { recognized: false, value, reason: 'unexpected-shape' };
    const recognition = recognize(value);
    return recognition.recognized ? recognition : { ...recognition, value };
  }
}
