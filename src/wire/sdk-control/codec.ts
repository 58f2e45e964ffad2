import type { CliMessage } from '../cli-message.ts';
import type { Codec, Decoded, PromptLine } from '../codec.ts';
import { isRecord, parseRecord } from '../fields.ts';
import { textOf } from '../message-text.ts';
import { streamJson } from '../stream-json/codec.ts';
import { toLine } from '../stream-json/encoding.ts';
import { McpSpelling } from './mcp-spelling.ts';
import { plainResult } from './plain-result.ts';
import { readRequest, readResponse } from './request-spelling.ts';
import { StreamSpelling } from './stream-spelling.ts';

type Request = { subtype: string } & Record<string, unknown>;

/** Open questions whose input is remembered; a peer that asks more gets the input back with each answer. */
const MAX_QUESTIONS = 1_000;

/**
 * `stream-json` whose requests carry their id inside `request`: those of the peer have the type `sdk_control_request` and ask
 * for a tool with `permission`. Reads both spellings, writes this one.
 */
export class SdkControlCodec implements Codec {
  readonly #questions = new Map<string, unknown>();
  readonly #mcp = new McpSpelling();
  readonly #stream = new StreamSpelling();
  readonly #onSpelling: (spelling: 'this' | 'stream-json') => void;
  /** What was said last in the turn: a result of this dialect may not repeat it. */
  #said: string | undefined;
  #line: Buffer = Buffer.alloc(0);
  #emit: (decoded: Decoded) => void = () => {};

  /** `onSpelling` hears of each line that only one of the two spellings has. */
  constructor(onSpelling: (spelling: 'this' | 'stream-json') => void = () => {}) {
    this.#onSpelling = onSpelling;
  }

  decode(line: Buffer, emit: (decoded: Decoded) => void): void {
    this.#line = line;
    this.#emit = emit;
    streamJson.decode(line, this.#translate);
  }

  encodePrompt(prompt: PromptLine): string {
    return streamJson.encodePrompt(prompt);
  }

  encodeRequest(requestId: string, request: Request): string {
    const { subtype, ...payload } = request;
    const body = subtype === 'initialize' ? { ...payload, ...registrations(payload) } : payload;
    return toLine({ type: 'control_request', request: { subtype, request_id: requestId, ...body } }, 'INVALID_OPTIONS');
  }

  encodeSuccess(requestId: string, response: unknown): string {
    const answer = this.#mcp.answer(requestId, this.#decision(requestId, response));
    return streamJson.encodeSuccess(requestId, answer);
  }

  encodeError(requestId: string, error: string): string {
    this.#questions.delete(requestId);
    return streamJson.encodeError(requestId, error);
  }

  encodeCancel(requestId: string): string {
    return streamJson.encodeCancel(requestId);
  }

  readonly #translate = (decoded: Decoded): void => {
    for (const each of this.#inStreamJson(decoded)) this.#emit(each);
  };

  #inStreamJson(decoded: Decoded): readonly Decoded[] {
    switch (decoded.kind) {
      case 'control-request':
        this.#onSpelling('stream-json');
        return [this.#noted(decoded)];
      case 'control-cancel':
        this.#questions.delete(decoded.requestId);
        return [decoded];
      case 'message':
        return this.#messages(decoded.message);
      case 'diagnostic':
        if (decoded.reason !== 'malformed-control') return [decoded];
        return [this.#control(parseRecord(this.#line.toString('utf8'))) ?? decoded];
      default:
        return [decoded];
    }
  }

  #messages(message: CliMessage): readonly Decoded[] {
    switch (message.type) {
      case 'sdk_control_request':
      case 'control':
        return [this.#control(message.value) ?? { kind: 'message', message }];
      case 'stream':
        this.#onSpelling('this');
        return this.#stream.stream(message).map(told);
      case 'assistant':
        this.#said = textOf(message) || this.#said;
        return this.#stream.assistant(message).map(told);
      case 'result':
        if (message.subtype === undefined) this.#onSpelling('this');
        return [...this.#stream.end(message), plainResult(message, this.#taken())].map(told);
      default:
        return [told(message)];
    }
  }

  #control(value: Record<string, unknown> | undefined): Decoded | undefined {
    const request = readRequest(value);
    const control = request === undefined ? readResponse(value) : this.#noted(request);
    if (control !== undefined) this.#onSpelling('this');
    return control;
  }

  #taken(): string | undefined {
    const said = this.#said;
    this.#said = undefined;
    return said;
  }

  #noted(request: Extract<Decoded, { kind: 'control-request' }>): Decoded {
    const { requestId, subtype } = request;
    if (subtype === 'can_use_tool' && this.#questions.size < MAX_QUESTIONS)
      this.#questions.set(requestId, request.request['input']);
    return subtype === 'mcp_message' ? this.#mcp.read(request) : request;
  }

  /** An allow says nothing of an input that stays as it was asked about. */
  #decision(requestId: string, response: unknown): unknown {
    if (!this.#questions.has(requestId)) return response;
    const input = this.#questions.get(requestId);
    this.#questions.delete(requestId);
    if (!isRecord(response) || response['behavior'] !== 'allow') return response;
    const { updatedInput, ...rest } = response;
    return JSON.stringify(updatedInput) === JSON.stringify(input) ? rest : response;
  }
}

function told(message: CliMessage): Decoded {
  return { kind: 'message', message };
}

/** Hooks as this dialect registers them. */
export function registrations({ hooks }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return isRecord(hooks) ? { hooks: renamedHooks(hooks, false) } : {};
}

/** … and in both spellings, for a peer that has yet to show which one it reads. */
export function bothRegistrations({ hooks }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return isRecord(hooks) ? { hooks: renamedHooks(hooks, true) } : {};
}

function renamedHooks(hooks: Record<string, unknown>, keepsOld: boolean): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(hooks).map(([event, entries]) => [
      event,
      Array.isArray(entries) ? entries.map((entry) => renamedEntry(entry, keepsOld)) : entries,
    ]),
  );
}

function renamedEntry(entry: unknown, keepsOld: boolean): unknown {
  if (!isRecord(entry)) return entry;
  const { hookCallbackIds, ...rest } = entry;
  return { ...rest, ...(keepsOld ? { hookCallbackIds } : {}), hook_callback_ids: hookCallbackIds };
}
