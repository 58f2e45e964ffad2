import { CliMessage } from '../cli-message.ts';
import type { Codec, Decoded, PromptLine } from '../codec.ts';
import { isRecord, stringsOf } from '../fields.ts';
import { textOf } from '../message-text.ts';
import { streamJson } from '../stream-json/codec.ts';
import { printResult } from './print-result.ts';

type Request = { subtype: string } & Record<string, unknown>;

/** What a process that runs one prompt cannot keep: it is told of none, and knows no prompt by its uuid. */
const NOT_KEPT: ReadonlySet<string> = new Set([
  'msg_lifecycle_v1',
  'interrupt_receipt_v1',
  'interrupt_cancel_queued_v1',
  'interrupt_send_now_v1',
]);

/** What who starts the processes writes between their lines: another one begins. */
export const NEXT_PROCESS = 'print_next_process';

/**
 * The lines of processes that each run one prompt, one after the other. What the host says goes to who starts them
 * (`src/dialects/print`), in `stream-json`; so does what that one says. The process itself names no prompt: here the one that
 * runs is known.
 */
export class PrintCodec implements Codec {
  readonly #prompts: PromptLine[] = [];
  #isOpen = false;
  #said: string | undefined;
  /** Undefined where nobody says which lines are of one process. */
  #hasResult: boolean | undefined;
  #emit: (decoded: Decoded) => void = () => {};

  decode(line: Buffer, emit: (decoded: Decoded) => void): void {
    this.#emit = emit;
    streamJson.decode(line, this.#translate);
  }

  encodePrompt(prompt: PromptLine): string {
    const line = streamJson.encodePrompt(prompt);
    this.#prompts.push(prompt);
    return line;
  }

  encodeRequest(requestId: string, request: Request): string {
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

  readonly #translate = (decoded: Decoded): void => {
    if (decoded.kind !== 'message') {
      this.#emit(decoded);
      return;
    }
    for (const message of this.#messages(decoded.message)) this.#emit({ kind: 'message', message });
  };

  #messages(message: CliMessage): readonly CliMessage[] {
    switch (message.type) {
      case 'system':
        return message.subtype === 'init' ? this.#opened(message) : [message];
      case 'assistant':
        this.#said = textOf(message) || this.#said;
        return [message];
      // It names prompts by ids of its own.
      case 'command_lifecycle':
        return [];
      case NEXT_PROCESS:
        this.#hasResult = false;
        return [];
      case 'result':
        return [this.#result(message)];
      default:
        return [message];
    }
  }

  /** The first line of a process: its prompt has begun. */
  #opened(message: CliMessage): readonly CliMessage[] {
    const value = message.value ?? {};
    const { capabilities } = value;
    const kept = stringsOf(capabilities).filter((name) => !NOT_KEPT.has(name));
    const init = Array.isArray(capabilities)
      ? CliMessage.translated(message.raw, { ...value, type: 'system', capabilities: kept })
      : message;
    const prompt = this.#prompts[0];
    if (this.#isOpen || prompt === undefined) return [init];
    this.#isOpen = true;
    const echo = {
      type: 'user',
      message: { role: 'user', content: prompt.content },
      parent_tool_use_id: null,
      session_id: value['session_id'],
      uuid: prompt.uuid,
      isReplay: true,
    };
    return [init, CliMessage.translated(message.raw, echo)];
  }

  #result(message: CliMessage): CliMessage {
    const said = this.#said;
    this.#said = undefined;
    const { origin } = message.value ?? {};
    const isOwn = isRecord(origin) && origin['kind'] !== 'human';
    if (isOwn) return printResult(message, said, []);
    // One more of the same process: the prompt that waits has not had its own yet.
    if (this.#hasResult === true) return printResult(message, said, [], { origin: { kind: 'print-process' } });
    if (this.#hasResult === false) this.#hasResult = true;
    const prompt = this.#prompts.shift();
    this.#isOpen = false;
    return printResult(message, said, prompt === undefined ? [] : [prompt.uuid]);
  }
}
