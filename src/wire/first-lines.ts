import type { Codec, Decoded, PromptLine } from './codec.ts';
import type { DialectName } from './dialect.ts';
import { parseRecord, stringOf } from './fields.ts';
import { streamJson } from './stream-json/codec.ts';

/** Characters of a line that go into an error. */
const MAX_SAMPLE_CHARACTERS = 200;

/** What only a peer of that dialect writes; nothing of it is known to be written by a CLI of any release. */
const PRINT_SYSTEM: ReadonlySet<string> = new Set(['permission_request', 'hook_execution']);
const PRINT_RESULTS: ReadonlySet<string> = new Set(['max_turns_reached', 'budget_exceeded', 'user_cancelled']);

/** `stream-json` to a peer that has yet to show that it speaks it. Once it has answered, nothing is looked at any more. */
export class FirstLines implements Codec {
  #isSettled = false;
  #line: Buffer | undefined;
  #emit: (decoded: Decoded) => void = () => {};

  decode(line: Buffer, emit: (decoded: Decoded) => void): void {
    if (this.#isSettled) {
      streamJson.decode(line, emit);
      return;
    }
    this.#line = line;
    this.#emit = emit;
    streamJson.decode(line, this.#look);
  }

  encodePrompt(prompt: PromptLine): string {
    return streamJson.encodePrompt(prompt);
  }

  encodeRequest(requestId: string, request: { subtype: string } & Record<string, unknown>): string {
    return streamJson.encodeRequest(requestId, request);
  }

  encodeSuccess(requestId: string, response: unknown): string {
    return streamJson.encodeSuccess(requestId, response);
  }

  encodeError(requestId: string, error: string): string {
    return streamJson.encodeError(requestId, error);
  }

  encodeCancel(requestId: string): string {
    return streamJson.encodeCancel(requestId);
  }

  readonly #look = (decoded: Decoded): void => {
    if (decoded.kind === 'control-response' || decoded.kind === 'control-request') this.#isSettled = true;
    const seen = this.#isSettled ? undefined : dialectSeen(decoded, this.#line ?? Buffer.alloc(0));
    if (seen === undefined) {
      this.#emit(decoded);
      return;
    }
    const sample = (this.#line ?? '').toString('utf8').slice(0, MAX_SAMPLE_CHARACTERS);
    this.#emit({ kind: 'dialect-mismatch', seen, sample });
  };
}

/** The dialect of a line that is none of `stream-json`; undefined where nothing is sure. */
export function dialectSeen(decoded: Decoded, line: Buffer): DialectName | undefined {
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
