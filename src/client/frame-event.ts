import type { StreamFrame } from './event-stream.ts';
import type { RemoteEvent } from './remote-event.ts';

const LINE = '"line":';

/** The event in a frame of a session's stream; undefined for what is none. The line of a message is not parsed. */
export function eventOf({ type, data }: StreamFrame): RemoteEvent | undefined {
  if (type === 'message') return messageOf(data);
  try {
    // The server says what it says by its OpenAPI document; a kind that is unknown here is passed on.
    return JSON.parse(data) as RemoteEvent;
  } catch {
    return undefined;
  }
}

/** A line stands verbatim at the end of its event: cutting it out spares most lines the parser, and keeps every byte. */
function messageOf(data: string): RemoteEvent | undefined {
  const at = data.indexOf(LINE);
  try {
    if (at > 0 && data.endsWith('}')) {
      const head = JSON.parse(`${data.slice(0, at)}"line":""}`) as Extract<RemoteEvent, { type: 'message' }>;
      return { ...head, line: data.slice(at + LINE.length, -1) };
    }
    const { base64, ...rest } = JSON.parse(data);
    return { ...rest, line: new TextDecoder().decode(bytesOf(String(base64))), base64 };
  } catch {
    return undefined;
  }
}

function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
