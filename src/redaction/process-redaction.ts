import { CliMessage } from '../wire/cli-message.ts';
import type { Decoded } from '../wire/codec.ts';
import { parseRecord } from '../wire/fields.ts';
import type { LineRun } from '../wire/line-run.ts';
import { streamJson } from '../wire/stream-json/codec.ts';
import type { Secrets } from './secrets.ts';
import { SplitDeltas } from './split-deltas.ts';
import { SplitText } from './split-text.ts';

/** A line of stderr from here on may be a piece of a longer one: the reader cuts at 16 KiB. */
const CUT_LINE_LENGTH = 16 * 1024 - 1;

/** What one process says, without the secrets in it, also where they come in pieces. */
export class ProcessRedaction {
  readonly #secrets: () => Secrets;
  readonly #deltas: SplitDeltas;
  #stderr: SplitText | undefined;

  constructor(secrets: () => Secrets) {
    this.#secrets = secrets;
    this.#deltas = new SplitDeltas(secrets);
  }

  /** What is told in place of the message, in order; the message itself where it holds no secret. */
  message(message: CliMessage): readonly CliMessage[] {
    return (this.#deltas.take(message) ?? [message]).map((each) => this.#cleaned(each));
  }

  /** Tells what is told in place of the lines, in order: the very run where none of them holds a secret, or begins one. */
  run(run: LineRun, told: { run(run: LineRun): void; message(message: CliMessage): void }): void {
    const isSearched = this.#secrets().hasPatterns;
    for (let at = 0; at < run.count; ) {
      const plain = isSearched ? 0 : this.#deltas.takePlain(run, at);
      if (plain > 0) told.run(run.slice(at, at + plain));
      at += plain;
      if (at === run.count) return;
      for (const message of this.message(run.message(at))) told.message(message);
      at += 1;
    }
  }

  /** What is kept in place of a line of its output, whatever it is, in order. */
  output(line: Buffer): readonly Buffer[] {
    const found: Decoded[] = [];
    streamJson.decode(line, (decoded) => found.push(decoded));
    const [only] = found;
    const isMessage = found.length === 1 && only?.kind === 'message' && only.message.raw.length === line.length;
    return isMessage ? this.message(only.message).map(({ raw }) => raw) : [this.input(line)];
  }

  /** What is kept in place of a line of its input. */
  input(line: Buffer): Buffer {
    const secrets = this.#secrets();
    const cleaned = secrets.line(line);
    return isJson(cleaned) ? cleaned : secrets.bytes(cleaned);
  }

  /** The line that is told in place of this one. */
  stderr(line: string): string {
    const isCut = line.length >= CUT_LINE_LENGTH;
    if (!isCut && this.#stderr === undefined) return this.#secrets().text(line);
    this.#stderr ??= new SplitText(this.#secrets());
    const told = this.#stderr.push(line);
    if (isCut) return told;
    const rest = this.#stderr.end();
    this.#stderr = undefined;
    return told + rest;
  }

  /** What is still to be told of a process that is over. */
  end(): { readonly messages: readonly CliMessage[]; readonly stderr: string } {
    const stderr = this.#stderr?.end() ?? '';
    this.#stderr = undefined;
    return { messages: this.#deltas.end().map((each) => this.#cleaned(each)), stderr };
  }

  #cleaned(message: CliMessage): CliMessage {
    const { raw, type, subtype } = message;
    const line = this.#secrets().line(raw);
    if (message.isTranslated) return cleanedTranslation(message, line, this.#secrets().line(message.line));
    return line === raw ? message : new CliMessage(line, type, subtype);
  }
}

/** What was translated is clean by itself, and so is what it was translated from. */
function cleanedTranslation(message: CliMessage, raw: Buffer, line: Buffer): CliMessage {
  if (raw === message.raw && line === message.line) return message;
  const value = parseRecord(line.toString('utf8'));
  const type = value?.['type'];
  if (value === undefined || typeof type !== 'string') return new CliMessage(line, message.type, message.subtype);
  return CliMessage.translated(raw, { ...value, type });
}

function isJson(line: Buffer): boolean {
  try {
    JSON.parse(line.toString('utf8'));
    return true;
  } catch {
    return false;
  }
}
