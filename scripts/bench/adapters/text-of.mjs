/** The characters that a message adds to what is being said. */
export function textOf({ type, event }) {
  return type === 'stream_event' && event.delta?.type === 'text_delta' ? event.delta.text.length : 0;
}
