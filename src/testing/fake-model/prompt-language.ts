import { isRecord, type RequestFacts } from './model-request.ts';
import type { MessageReply, Reply } from './reply.ts';
import {
  empty,
  error,
  hang,
  MAX_PIECES,
  maxTokens,
  refusal,
  streamText,
  text,
  thinking,
  together,
  toolUse,
} from './script.ts';

/** The most characters of a prompt that come back as an echo. */
export const MAX_ECHO_CHARACTERS = 100_000;
/** The most tool calls one `CALLS` prompt may ask for. */
export const MAX_CALLS = 100;

/** The prompt with which the CLI asks for a summary of the conversation (2.1.332). */
const COMPACTION = /^CRITICAL: Respond with TEXT ONLY[\s\S]*<summary>/;

/**
 * Lets a prompt say what the model does, so that a test needs no script:
 * `CALL <Tool> <json>` · `CALLS [{"name":…,"input":…},…]` · `SLOW <words>` · `THINK [thought]` · `ERROR <status>` · `HANG` ·
 * `EMPTY` · `REFUSE` · `MAXTOK`. Anything else is echoed; tool results are answered `Tool said: <json array of contents>`.
 * Never throws: a directive that cannot be read is answered with a text that says why.
 */
export function answerPrompt(request: RequestFacts, slowDelayMs: number): Reply {
  if (request.toolResults.length > 0) {
    return text(`Tool said: ${JSON.stringify(request.toolResults.map((result) => result.content))}`);
  }
  const prompt = request.prompt ?? '';
  if (COMPACTION.test(prompt)) {
    return text('<analysis>Nothing to weigh.</analysis>\n<summary>The conversation so far.</summary>');
  }
  const [, word = '', rest = ''] = /^\s*([A-Z]+)\b\s*([\s\S]*)$/.exec(prompt) ?? [];
  return readDirective(word, rest.trim(), slowDelayMs) ?? text(`Echo: ${prompt.slice(0, MAX_ECHO_CHARACTERS)}`);
}

function readDirective(word: string, rest: string, slowDelayMs: number): Reply | undefined {
  switch (word) {
    case 'CALL':
      return readCall(rest);
    case 'CALLS':
      return readCalls(rest);
    case 'SLOW':
      return readSlow(rest, slowDelayMs);
    case 'ERROR':
      return /^[45]\d\d\b/.test(rest) ? error(Number(rest.slice(0, 3))) : undefined;
    case 'THINK':
      return together(thinking(rest === '' ? 'Let me think about it.' : rest), text('Thought.'));
    case 'HANG':
      return rest === '' ? hang() : undefined;
    case 'EMPTY':
      return rest === '' ? empty() : undefined;
    case 'REFUSE':
      return rest === '' ? refusal() : undefined;
    case 'MAXTOK':
      return rest === '' ? maxTokens('This text was cut by the token') : undefined;
    default:
      return undefined;
  }
}

function readCall(rest: string): MessageReply | undefined {
  const [, name = '', json = ''] = /^(\S+)\s*([\s\S]*)$/.exec(rest) ?? [];
  if (name === '') return undefined;
  const input = json === '' ? {} : parse(json);
  if (!isRecord(input)) return text(`Cannot read the input of CALL ${name}: it is not a JSON object.`);
  return toolUse(name, input, { text: `Calling ${name}` });
}

function readCalls(rest: string): MessageReply {
  const list = parse(rest);
  if (!Array.isArray(list)) return text('Cannot read CALLS: it is not a JSON array.');
  if (list.length === 0 || list.length > MAX_CALLS) return text(`Cannot read CALLS: it takes 1 to ${MAX_CALLS} calls.`);
  const calls = list.map((item: unknown) => {
    if (!isRecord(item) || typeof item['name'] !== 'string') return undefined;
    const input = item['input'] ?? {};
    return isRecord(input) ? toolUse(item['name'], input) : undefined;
  });
  const readable = calls.filter((call) => call !== undefined);
  if (readable.length < calls.length) return text('Cannot read CALLS: each item takes a name and an input object.');
  return together(...readable);
}

function readSlow(rest: string, slowDelayMs: number): MessageReply | undefined {
  const [digits] = /^\d+\b/.exec(rest) ?? [];
  if (digits === undefined) return undefined;
  return streamText({ words: Math.min(Number(digits), MAX_PIECES), delayMs: slowDelayMs });
}

/** Prompts that waited together arrive as one text, a line each, so the JSON may end with the first line (WIRE §11). */
function parse(json: string): unknown {
  for (const candidate of [json, json.split('\n', 1)[0] ?? '']) {
    try {
      return JSON.parse(candidate);
    } catch {
      // Not JSON as a whole: the first line alone may be.
    }
  }
  return undefined;
}
