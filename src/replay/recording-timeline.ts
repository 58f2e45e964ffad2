import type { RecordedFrame } from '../recording/recording.ts';
import { isRecord, parseRecord } from '../wire/fields.ts';
import { kindOfLine } from './line-match.ts';

const MAX_SHOWN = 120;
const SIGNS = { '>': '→', '<': '←', e: '!', n: '·' } as const;

/** One line for people: when, from whom, what kind, and the beginning of what it says. */
export function timelineLine(frame: RecordedFrame): string {
  const seconds = (frame.atMs / 1000).toFixed(3).padStart(9);
  const process = frame.process === 1 ? '' : ` #${frame.process}`;
  return printable(`${seconds}${process} ${SIGNS[frame.direction]} ${contentOf(frame)}`);
}

function contentOf(frame: RecordedFrame): string {
  if (frame.direction === 'n') {
    const { kind, ...facts } = frame.note;
    return `${kind} ${Object.keys(facts).length === 0 ? '' : JSON.stringify(facts)}`.trim();
  }
  const text = frame.bytes.toString();
  if (frame.direction === 'e') return shortened(text);
  const value = parseRecord(text);
  if (value === undefined) return shortened(text);
  const said = saidIn(value);
  return said === '' ? kindOfLine(frame.bytes) : `${kindOfLine(frame.bytes)}  ${shortened(said)}`;
}

function saidIn(value: Readonly<Record<string, unknown>>): string {
  const { message, result, response, request, event } = value;
  if (typeof result === 'string') return result;
  if (isRecord(message)) return textOfContent(message['content']);
  if (isRecord(event) && isRecord(event['delta'])) return String(event['delta']['text'] ?? '');
  if (isRecord(request)) return String(request['tool_name'] ?? request['server_name'] ?? '');
  if (isRecord(response)) return String(response['error'] ?? response['subtype'] ?? '');
  return '';
}

function textOfContent(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((block: unknown) => (isRecord(block) ? String(block['text'] ?? block['name'] ?? block['type'] ?? '') : ''))
    .join(' ');
}

function shortened(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

/** What a recording holds must not steer the terminal. */
function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, ' ');
}
