import type { ViewEvent } from '../../view/view-event.ts';

export interface LogPage {
  readonly events: readonly ViewEvent[];
  /** Where the next page begins; undefined when this was the last one. */
  readonly next: number | undefined;
}

/** A page of the log as the server of this page writes it; what is no event, such as `log.truncated`, is left out. */
export function logPageOf(answer: unknown): LogPage {
  if (!isRecord(answer) || !Array.isArray(answer['events'])) return { events: [], next: undefined };
  const { events, next } = answer;
  return { events: events.filter(isEvent).map(withLine), next: typeof next === 'number' ? next : undefined };
}

/** The path of the page behind that event. */
export function logPath(id: string, after: number, limit: number): string {
  return `sessions/${encodeURIComponent(id)}/log?after=${after}&limit=${limit}`;
}

function isEvent(value: unknown): value is ViewEvent {
  return isRecord(value) && typeof value['seq'] === 'number' && 'epoch' in value;
}

/** In an answer a line is the JSON that it is; one that JSON cannot hold as it is, is in base64. */
function withLine(event: ViewEvent): ViewEvent {
  if (event.type !== 'message') return event;
  if ('base64' in event && typeof event.base64 === 'string') {
    const bytes = Uint8Array.from(atob(event.base64), (letter) => letter.charCodeAt(0));
    return { ...event, line: new TextDecoder().decode(bytes) };
  }
  const line: unknown = event.line;
  return typeof line === 'string' ? event : { ...event, line: JSON.stringify(line) };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
