import { isRecord, type JsonRecord, numberOf, recordsOf, textOf } from './line-value.ts';
import type { Transcript, TranscriptItem } from './transcript.ts';
import { added, bounded, toolChanged } from './transcript-items.ts';
import type { Origin } from './transcript-stream.ts';

/** The transcript after a message of the model: what had streamed of it is replaced by the whole. */
export function said(transcript: Transcript, line: JsonRecord, origin: Origin): Transcript {
  const message = isRecord(line['message']) ? line['message'] : {};
  const messageId = textOf(message['id']) ?? textOf(line['uuid']) ?? `seq-${origin.seq}`;
  const about = { messageId, model: textOf(message['model']) };
  return recordsOf(message['content']).reduce((sum, block) => blockSaid(sum, block, about, origin), transcript);
}

interface About {
  readonly messageId: string;
  readonly model: string | undefined;
}

function blockSaid(transcript: Transcript, block: JsonRecord, about: About, origin: Origin): Transcript {
  const { type } = block;
  if (type === 'tool_use') return toolCalled(transcript, block, about, origin);
  if (type !== 'text' && type !== 'thinking') return transcript;
  const raw = type === 'text' ? block['text'] : block['thinking'];
  const text = bounded(typeof raw === 'string' ? raw : '');
  const { messageId, model } = about;
  const isIts = (item: TranscriptItem) =>
    item.kind === type && item.messageId === messageId && item.isStreaming && item.parent === origin.parent;
  const told = { kind: type, text, isStreaming: false, messageId, ...(model === undefined ? {} : { model }) } as const;
  const index = transcript.items.findIndex(isIts);
  const streaming = transcript.items[index];
  if (streaming !== undefined) {
    const { id, seq, at, parent } = streaming;
    const whole = { id, seq, at, ...(parent === undefined ? {} : { parent }), ...told };
    return { ...transcript, items: transcript.items.with(index, whole) };
  }
  return added(transcript, { id: nextId(transcript, messageId), ...origin, ...told });
}

function toolCalled(transcript: Transcript, block: JsonRecord, { messageId }: About, origin: Origin): Transcript {
  const toolUseId = textOf(block['id']);
  if (toolUseId === undefined) return transcript;
  const [name, input] = [textOf(block['name']) ?? '', block['input'] ?? null];
  const isKnown = transcript.items.some((item) => item.kind === 'tool' && item.toolUseId === toolUseId);
  if (isKnown) {
    return toolChanged(transcript, toolUseId, ({ partialInput: _partial, ...tool }) => {
      return { ...tool, name, input, status: tool.status === 'streaming' ? 'running' : tool.status };
    });
  }
  const id = nextId(transcript, messageId);
  return added(transcript, { kind: 'tool', id, ...origin, messageId, toolUseId, name, input, status: 'running' });
}

/** Blocks of a message come one by one, each in a line of its own: the place among those that are there is its number. */
function nextId(transcript: Transcript, messageId: string): string {
  const taken = new Set(transcript.items.map(({ id }) => id));
  let index = 0;
  while (taken.has(`${messageId}:${index}`)) index += 1;
  return `${messageId}:${index}`;
}

/** The transcript after a message in the user's name: prompts, and what tools answered. */
export function heard(transcript: Transcript, line: JsonRecord, origin: Origin): Transcript {
  const content = isRecord(line['message']) ? line['message']['content'] : undefined;
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : recordsOf(content);
  const results = blocks.filter(({ type }) => type === 'tool_result');
  const rest = blocks.filter(({ type }) => type !== 'tool_result');
  const answered = results.reduce<Transcript>((sum, block) => toolAnswered(sum, block, origin.at), transcript);
  return rest.length === 0 ? answered : promptHeard(answered, line, rest, origin);
}

function promptHeard(
  transcript: Transcript,
  line: JsonRecord,
  blocks: readonly JsonRecord[],
  origin: Origin,
): Transcript {
  const uuid = textOf(line['uuid']);
  const id = uuid === undefined ? `prompt-${origin.seq}` : `prompt:${uuid}`;
  // Releases repeat a prompt more than once.
  if (transcript.items.some((item) => item.id === id)) return transcript;
  const isOurs = uuid !== undefined && origin.parent === undefined && line['isSynthetic'] !== true;
  const { text, attachments } = contentOf(blocks);
  return added(transcript, { kind: 'prompt', id, ...origin, ...(isOurs ? { promptId: uuid } : {}), text, attachments });
}

function toolAnswered(transcript: Transcript, block: JsonRecord, at: number): Transcript {
  const toolUseId = textOf(block['tool_use_id']);
  if (toolUseId === undefined) return transcript;
  const { content } = block;
  const isError = block['is_error'] === true;
  const { text, attachments } =
    typeof content === 'string' ? { text: bounded(content), attachments: [] } : contentOf(recordsOf(content));
  return toolChanged(transcript, toolUseId, (tool) => {
    const status = tool.status === 'denied' ? 'denied' : isError ? 'failed' : 'done';
    return { ...tool, status, endedAt: at, result: { text, isError, attachments } };
  });
}

function contentOf(blocks: readonly JsonRecord[]): { text: string; attachments: readonly string[] } {
  const text = blocks.map((block) => (block['type'] === 'text' ? (textOf(block['text']) ?? '') : '')).join('');
  const others = blocks.filter(({ type }) => type !== 'text').map(({ type }) => textOf(type) ?? 'unknown');
  return { text: bounded(text), attachments: others };
}

/** The transcript after the result of a turn. */
export function resulted(transcript: Transcript, line: JsonRecord, origin: Origin): Transcript {
  const text = textOf(line['result']);
  const [costUsd, durationMs, turns] = ['total_cost_usd', 'duration_ms', 'num_turns'].map((name) =>
    numberOf(line[name]),
  );
  const errors = Array.isArray(line['errors']) ? line['errors'].filter((error) => typeof error === 'string') : [];
  return added(transcript, {
    kind: 'result',
    id: `result:${textOf(line['uuid']) ?? origin.seq}`,
    ...origin,
    subtype: textOf(line['subtype']) ?? 'unknown',
    isError: line['is_error'] === true,
    ...(text === undefined ? {} : { text: bounded(text) }),
    errors: errors.map(bounded),
    ...(costUsd === undefined ? {} : { totalCostUsd: costUsd }),
    ...(durationMs === undefined ? {} : { durationMs }),
    ...(turns === undefined ? {} : { turns }),
  });
}

/** What streamed and was cut off stays as it is, and no answer of a tool comes any more. */
export function cutOff(item: TranscriptItem): TranscriptItem {
  if ((item.kind === 'text' || item.kind === 'thinking') && item.isStreaming) return { ...item, isStreaming: false };
  const isOpen = item.kind === 'tool' && ['streaming', 'running', 'asking'].includes(item.status);
  return isOpen ? { ...item, status: 'abandoned' } : item;
}
