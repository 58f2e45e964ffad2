import type { ObservedEvent } from '../store/session-event.ts';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * An event as one line of JSON. The line of a message is in it as the CLI wrote it: as text, or as `base64` where text could
 * not say which bytes they were.
 */
export function eventText(event: ObservedEvent): string {
  if (event.type !== 'message') return JSON.stringify(event);
  const { seq, epoch, at, type, message } = event;
  const { type: kind, subtype, raw } = message;
  return JSON.stringify({ seq, epoch, at, type, kind, ...(subtype === undefined ? {} : { subtype }), ...lineOf(raw) });
}

function lineOf(raw: Uint8Array): { readonly line: string } | { readonly base64: string } {
  try {
    return { line: decoder.decode(raw) };
  } catch {
    return { base64: Buffer.from(raw).toString('base64') };
  }
}
