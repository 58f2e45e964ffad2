import { isRecord, type JsonRecord, numberOf, textOf } from './line-value.ts';
import type { ToolItem, Transcript, TranscriptItem } from './transcript.ts';
import { added, bounded, replaced } from './transcript-items.ts';

/** Where an item comes from. */
export interface Origin {
  readonly seq: number;
  readonly at: number;
  readonly parent?: string;
}

/** The transcript after a piece of a message that is being written (`stream_event`). */
export function streamed(transcript: Transcript, line: JsonRecord, origin: Origin): Transcript {
  const { event } = line;
  if (!isRecord(event)) return transcript;
  const stream = origin.parent ?? '';
  if (event['type'] === 'message_start') {
    const id = isRecord(event['message']) ? textOf(event['message']['id']) : undefined;
    return id === undefined ? transcript : { ...transcript, streams: { ...transcript.streams, [stream]: id } };
  }
  const messageId = transcript.streams[stream];
  const index = numberOf(event['index']);
  if (event['type'] === 'message_stop') {
    const { [stream]: _ended, ...streams } = transcript.streams;
    return { ...transcript, streams };
  }
  if (messageId === undefined || index === undefined) return transcript;
  const id = `${messageId}:${index}`;
  if (event['type'] === 'content_block_start') return begun(transcript, { id, messageId }, event, origin);
  if (event['type'] !== 'content_block_delta' || !isRecord(event['delta'])) return transcript;
  const { delta } = event;
  return replaced(
    transcript,
    (item) => item.id === id,
    (item) => grown(item, delta),
  );
}

function begun(
  transcript: Transcript,
  { id, messageId }: { id: string; messageId: string },
  event: JsonRecord,
  origin: Origin,
): Transcript {
  const block = isRecord(event['content_block']) ? event['content_block'] : {};
  if (transcript.items.some((item) => item.id === id)) return transcript;
  switch (block['type']) {
    case 'text':
      return added(transcript, { kind: 'text', id, ...origin, messageId, text: '', isStreaming: true });
    case 'thinking':
      return added(transcript, { kind: 'thinking', id, ...origin, messageId, text: '', isStreaming: true });
    case 'tool_use': {
      const toolUseId = textOf(block['id']);
      if (toolUseId === undefined) return transcript;
      const name = textOf(block['name']) ?? '';
      return added(transcript, {
        kind: 'tool',
        id,
        ...origin,
        messageId,
        toolUseId,
        name,
        partialInput: '',
        status: 'streaming',
      });
    }
    default:
      return transcript;
  }
}

/** Pieces that come after the whole are nothing new. */
function grown(item: TranscriptItem, delta: JsonRecord): TranscriptItem {
  if (item.kind === 'tool' && item.status === 'streaming') return toolGrown(item, textOf(delta['partial_json']));
  if ((item.kind !== 'text' && item.kind !== 'thinking') || !item.isStreaming) return item;
  const piece = textOf(item.kind === 'text' ? delta['text'] : delta['thinking']);
  return piece === undefined ? item : { ...item, text: bounded(item.text + piece) };
}

function toolGrown(tool: ToolItem, piece: string | undefined): ToolItem {
  return piece === undefined ? tool : { ...tool, partialInput: bounded((tool.partialInput ?? '') + piece) };
}
