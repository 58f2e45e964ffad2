import type { Codec, Decoded, PromptLine } from './codec.ts';
import type { DialectName } from './dialect.ts';
import { parseRecord, stringOf } from './fields.ts';
import { bothRegistrations, SdkControlCodec } from './sdk-control/codec.ts';
import { readRequest } from './sdk-control/request-spelling.ts';
import { streamJson } from './stream-json/codec.ts';

type Request = { subtype: string } & Record<string, unknown>;

/** Characters of a line that go into an error. */
const MAX_SAMPLE_CHARACTERS = 200;

/** Between two lines. */
const NO_LINE = Buffer.alloc(0);
const NOBODY = (): void => {};

/** What only a peer of that dialect writes; nothing of it is known to be written by a CLI of any release. */
const PRINT_SYSTEM: ReadonlySet<string> = new Set(['permission_request', 'hook_execution']);
const PRINT_RESULTS: ReadonlySet<string> = new Set(['max_turns_reached', 'budget_exceeded', 'user_cancelled']);

/** What every release of the CLI says in its first answer, and the write-up with ids inside `request` does not. */
const OF_THE_CLI = ['commands', 'models', 'output_style', 'account', 'claude_code_version'] as const;

/**
 * `stream-json` to a peer that has yet to show that it speaks it. With `mayChange` it changes over to `stream-json-sdk-control`
 * when that is what comes. A peer that does not answer may read only that: it is greeted again, and from then on until either
 * is sure requests carry both spellings.
 */
export class FirstLines implements Codec {
  readonly #mayChange: boolean;
  /** Made when it is first needed: most peers never do. */
  #eitherMade: SdkControlCodec | undefined;
  #codec: Codec = streamJson;
  #hasAnswered = false;
  #greeting: { readonly requestId: string; readonly request: Request } | undefined;
  #hasSpelledAgain = false;
  #isSure: boolean;
  #line: Buffer = NO_LINE;
  #emit: (decoded: Decoded) => void = NOBODY;

  constructor({ mayChange }: { readonly mayChange: boolean }) {
    this.#mayChange = mayChange;
    this.#isSure = !mayChange;
  }

  decode(line: Buffer, emit: (decoded: Decoded) => void): void {
    if (this.#isSure && this.#hasAnswered) {
      this.#codec.decode(line, emit);
      return;
    }
    if (this.#hasAnswered) {
      this.#either.decode(line, emit);
      return;
    }
    this.#line = line;
    this.#emit = emit;
    streamJson.decode(line, this.#look);
    this.#line = NO_LINE;
    this.#emit = NOBODY;
  }

  get readsRuns(): boolean {
    return this.#isSure && this.#hasAnswered && this.#codec === streamJson;
  }

  encodePrompt(prompt: PromptLine): string {
    return this.#codec.encodePrompt(prompt);
  }

  encodeRequest(requestId: string, request: Request): string {
    if (request.subtype === 'initialize' && !this.#isSure) this.#greeting = { requestId, request };
    if (!this.#isSure && this.#hasSpelledAgain) return inBoth(requestId, request);
    const isPlain = this.#codec === streamJson && this.#mayChange;
    return this.#codec.encodeRequest(requestId, isPlain ? plain(request) : request);
  }

  spellAgain(): string | undefined {
    if (this.#greeting === undefined || (this.#isSure && this.#codec === streamJson)) return undefined;
    this.#hasSpelledAgain = true;
    const { requestId, request } = this.#greeting;
    return this.#isSure ? this.#codec.encodeRequest(requestId, request) : inBoth(requestId, request);
  }

  encodeSuccess(requestId: string, response: unknown): string {
    return this.#answering.encodeSuccess(requestId, response);
  }

  encodeError(requestId: string, error: string): string {
    return this.#answering.encodeError(requestId, error);
  }

  encodeCancel(requestId: string): string {
    return this.#codec.encodeCancel(requestId);
  }

  /** Reads both spellings, and hears which one it is. */
  get #either(): SdkControlCodec {
    this.#eitherMade ??= new SdkControlCodec((spelling) => this.#settle(spelling));
    return this.#eitherMade;
  }

  /** Who read the question knows how it is answered. */
  get #answering(): Codec {
    return this.#isSure ? this.#codec : this.#either;
  }

  readonly #look = (decoded: Decoded): void => {
    if (this.#mayChange && isSdkControl(decoded, this.#line)) {
      this.#settle('this');
      this.#codec.decode(this.#line, this.#emit);
      return;
    }
    this.#note(decoded);
    const seen = this.#hasAnswered ? undefined : dialectSeen(decoded, this.#line);
    if (seen === undefined) {
      this.#emit(decoded);
      return;
    }
    const sample = this.#line.toString('utf8').slice(0, MAX_SAMPLE_CHARACTERS);
    this.#emit({ kind: 'dialect-mismatch', seen, sample });
  };

  #note(decoded: Decoded): void {
    if (decoded.kind === 'control-request') this.#settle('stream-json');
    if (decoded.kind !== 'control-response') return;
    if (this.#greeting !== undefined && decoded.requestId !== this.#greeting.requestId) return;
    this.#hasAnswered = true;
    const { outcome } = decoded;
    if (outcome.ok && OF_THE_CLI.some((name) => outcome.response[name] !== undefined)) this.#isSure = true;
  }

  #settle(spelling: 'this' | 'stream-json'): void {
    this.#hasAnswered = true;
    if (this.#isSure) return;
    this.#isSure = true;
    if (spelling === 'this') this.#codec = this.#either;
  }
}

function inBoth(requestId: string, request: Request): string {
  const both = request.subtype === 'initialize' ? bothRegistrations(request) : {};
  return streamJson.encodeRequest(requestId, { ...request, ...both, request_id: requestId });
}

/** Without what only the other write-up reads. */
function plain({ sdk_mcp_servers: _names, ...request }: Request): Request {
  return request;
}

/** True for a line that only this write-up has, before anything was answered. */
function isSdkControl(decoded: Decoded, line: Buffer): boolean {
  if (decoded.kind === 'message') return ['sdk_control_request', 'control', 'stream'].includes(decoded.message.type);
  if (decoded.kind !== 'diagnostic' || decoded.reason !== 'malformed-control') return false;
  return readRequest(parseRecord(line.toString('utf8'))) !== undefined;
}

/** The dialect of a line that is none of `stream-json`; undefined where nothing is sure. */
function dialectSeen(decoded: Decoded, line: Buffer): DialectName | undefined {
  if (decoded.kind === 'diagnostic') return decoded.reason === 'untyped' && isJsonRpc(line) ? 'json-rpc' : undefined;
  if (decoded.kind !== 'message') return undefined;
  const { type, subtype } = decoded.message;
  if (type === 'sdk_control_request') return 'stream-json-sdk-control';
  if (subtype === undefined) return undefined;
  if (type === 'system') return PRINT_SYSTEM.has(subtype) ? 'print' : undefined;
  return type === 'result' && PRINT_RESULTS.has(subtype) ? 'print' : undefined;
}

function isJsonRpc(line: Buffer): boolean {
  return stringOf(parseRecord(line.toString('utf8'))?.['jsonrpc']) === '2.0';
}
