import type { SessionView } from '../../view/session-view.ts';
import type { ViewEvent } from '../../view/view-event.ts';

/** Where the server begins, or begins anew. */
export interface Snapshot {
  readonly view: SessionView;
  /** What follows comes after this event. */
  readonly from: number;
  /** What was known before counts no more. */
  readonly reset?: boolean;
}

const LINE = ',"line":';
const BASE64 = ',"base64":"';

/** The event that a frame of a session's stream holds. The line of a message stays the text that the CLI wrote. */
export function toldEvent(data: string): ViewEvent | undefined {
  if (!data.includes('"type":"message"')) return parsed<ViewEvent>(data);
  // In a string of JSON a quote has a backslash before it, so that the first of these is the name.
  const [name, at] = nameIn(data);
  if (at < 0) return parsed<ViewEvent>(data);
  const about = parsed<Omit<Extract<ViewEvent, { type: 'message' }>, 'line'>>(`${data.slice(0, at)}}`);
  if (about?.type !== 'message') return parsed<ViewEvent>(data);
  const rest = data.slice(at + name.length);
  return { ...about, line: name === LINE ? rest.slice(0, -1) : textOf(rest.slice(0, -2)) };
}

/** What a server of this release wrote; undefined for text that is no JSON. */
export function parsed<T>(data: string): T | undefined {
  try {
    // The boundary: it is the server of this page, and of the same release.
    return JSON.parse(data) as T;
  } catch {
    return undefined;
  }
}

function nameIn(data: string): readonly [string, number] {
  const line = data.indexOf(LINE);
  return line >= 0 ? [LINE, line] : [BASE64, data.indexOf(BASE64)];
}

function textOf(base64: string): string {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  return new TextDecoder().decode(bytes);
}
