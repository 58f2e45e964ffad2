/** One answer of a tool, as the client sent it back. */
export interface ToolResult {
  readonly toolUseId: string;
  readonly content: unknown;
  readonly isError: boolean;
}

/** What a request says, read from its body. */
export interface RequestFacts {
  readonly model: string;
  readonly isStreaming: boolean;
  /** The system prompt, with system messages that stand between the others. */
  readonly system: string;
  /** The user's prompt, when the model is to answer it now; undefined when tools have just answered. */
  readonly prompt: string | undefined;
  /** The prompt of the running turn: `prompt`, or the one whose tools have just answered. */
  readonly turnPrompt: string | undefined;
  /** The tool results to answer now, in order. */
  readonly toolResults: readonly ToolResult[];
  readonly body: Readonly<Record<string, unknown>>;
}

/** How a request ended: `aborted` by the client, `cut` by the script, `closed` with the server. */
export type RequestOutcome = 'answered' | 'aborted' | 'cut' | 'closed';

/** One message request the fake model was asked. */
export interface ModelRequest extends RequestFacts {
  /** Counted from 1 over all message requests of this server. */
  readonly ordinal: number;
  /** The session the CLI names in its headers; undefined for other clients and old CLIs. */
  readonly sessionId: string | undefined;
  /** Undefined while the answer is under way. */
  readonly outcome: RequestOutcome | undefined;
  /** Settles with the outcome; never rejects. */
  readonly finished: Promise<RequestOutcome>;
}

/** Reminders the CLI puts before what the user wrote (seen in requests of 2.1.332). */
const REMINDERS = /^(\s*<system-reminder>[\s\S]*?<\/system-reminder>\s*)+/;
/** A text without a word of the user: nothing but reminders, or the record of a slash command. */
const INJECTED =
  /^\s*$|^\s*<(local-command-caveat|local-command-stdout|local-command-stderr|command-name)>[\s\S]*<\/(\1|command-name|command-message|command-args)>\s*$/;
/** What the CLI puts where a turn was interrupted; whatever comes before it is not to be answered any more (WIRE §8). */
const INTERRUPTED = /^\[Request interrupted by user/;
/** What the CLI puts beside results of tools without ending the turn: a prompt that was folded in, a skill, a loaded tool. */
const OF_THE_TURN =
  /^\s*(The user sent a new message while you were working|Base directory for this skill: |Tool loaded\.)/;

type Block = Readonly<Record<string, unknown>>;

/** Reads a body of `POST /v1/messages`; undefined when it is not one. */
export function readRequest(body: unknown): RequestFacts | undefined {
  if (!isRecord(body) || !Array.isArray(body['messages'])) return undefined;
  const messages = body['messages'].filter(isRecord);
  const turns = userTurns(messages);
  const current = isAssistant(messages.findLast((message) => message['role'] !== 'system'))
    ? []
    : toAnswer(turns.at(-1) ?? []);
  const toolResults = current.filter((block) => block['type'] === 'tool_result').map(toToolResult);
  const prompt = toolResults.length > 0 ? undefined : promptOf(current);
  return {
    model: typeof body['model'] === 'string' ? body['model'] : '',
    isStreaming: body['stream'] === true,
    system: [body['system'], ...messages.filter((message) => message['role'] === 'system').map((it) => it['content'])]
      .flatMap(blocksOf)
      .map(textOf)
      .join('\n'),
    prompt,
    turnPrompt: prompt ?? turns.map(toAnswer).filter(hasNoToolResult).map(promptOf).findLast(isText),
    toolResults,
    body,
  };
}

/** The user's blocks between two assistant messages belong together, whatever system messages stand among them. */
function userTurns(messages: readonly Block[]): readonly (readonly Block[])[] {
  const turns: Block[][] = [];
  let current: Block[] | undefined;
  for (const message of messages) {
    if (isAssistant(message)) current = undefined;
    if (message['role'] !== 'user') continue;
    if (current === undefined) {
      current = [];
      turns.push(current);
    }
    current.push(...blocksOf(message['content']));
  }
  return turns;
}

/** What the model is to answer: the last prompt, where one was written behind results of tools, else all of it. */
function toAnswer(blocks: readonly Block[]): readonly Block[] {
  const marker = blocks.findLastIndex((block) => block['type'] === 'text' && INTERRUPTED.test(textOf(block)));
  const sinceInterrupt = blocks.slice(marker + 1);
  const sinceResults = blocks.slice(blocks.findLastIndex((block) => block['type'] === 'tool_result') + 1);
  if (sinceResults.some(isPrompt)) return sinceResults.length < sinceInterrupt.length ? sinceResults : sinceInterrupt;
  return promptOf(sinceInterrupt) === undefined ? blocks : sinceInterrupt;
}

/** True for what the user wrote to be answered: a new turn, also where the last one ended with its tools unanswered. */
function isPrompt(block: Block): boolean {
  if (block['type'] !== 'text') return false;
  const text = textOf(block).replace(REMINDERS, '');
  return !INJECTED.test(text) && !OF_THE_TURN.test(text) && !INTERRUPTED.test(text);
}

/** The last text the user wrote; a text that only looks injected is the prompt when there is no other. */
function promptOf(blocks: readonly Block[]): string | undefined {
  const texts = blocks.filter((block) => block['type'] === 'text').map(textOf);
  return texts.map((text) => text.replace(REMINDERS, '')).findLast((text) => !INJECTED.test(text)) ?? texts.at(-1);
}

function toToolResult(block: Block): ToolResult {
  const toolUseId = block['tool_use_id'];
  return {
    toolUseId: typeof toolUseId === 'string' ? toolUseId : '',
    content: block['content'],
    isError: block['is_error'] === true,
  };
}

function blocksOf(content: unknown): readonly Block[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.filter(isRecord) : [];
}

function textOf(block: Block): string {
  return typeof block['text'] === 'string' ? block['text'] : '';
}

function isText(value: string | undefined): value is string {
  return value !== undefined;
}

function hasNoToolResult(blocks: readonly Block[]): boolean {
  return blocks.every((block) => block['type'] !== 'tool_result');
}

function isAssistant(message: Block | undefined): boolean {
  return message?.['role'] === 'assistant';
}

/** True for a JSON object. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
