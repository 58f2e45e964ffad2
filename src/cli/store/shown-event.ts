import type { SessionEvent, SubscriberEvent } from '../../store/session-event.ts';
import type { CliMessage } from '../../wire/cli-message.ts';
import { textOf, toolUsesOf } from '../../wire/message-text.ts';

type Shown = SessionEvent | SubscriberEvent;

const SHOWN_CHARACTERS = 160;

/** One line for people: number, incarnation, time, what, and the beginning of what it says. */
export function lineOf(event: Shown): string {
  if (!('seq' in event && 'epoch' in event)) {
    return event.type === 'log.truncated' ? `… what came before ${event.firstSeq} is no longer kept` : event.type;
  }
  const { seq, epoch, at, type, ...facts } = event;
  const place = `${seq} #${epoch} ${new Date(at).toISOString()}`;
  if (event.type === 'message') return `${place} ${kindOf(event.message)} ${brief(gist(event.message))}`.trimEnd();
  return `${place} ${type} ${brief(factsOf(facts))}`.trimEnd();
}

/** The same as JSON; the line of the CLI stands in it as it was. */
export function jsonOf(event: Shown): string {
  if (event.type !== 'message') return JSON.stringify(event);
  const { message, seq, epoch, at } = event;
  const head = `{"seq":${seq},"epoch":${epoch},"at":${at},"type":"message"`;
  // A line that is no JSON would make this one none either.
  return message.value === undefined
    ? `${head},"text":${JSON.stringify(message.text)}}`
    : `${head},"message":${message.text}}`;
}

function kindOf({ type, subtype }: CliMessage): string {
  return subtype === undefined ? type : `${type}/${subtype}`;
}

/** What a message says or does. */
function gist(message: CliMessage): string {
  const tools = toolUsesOf(message).map(({ name, input }) => `${name} ${JSON.stringify(input)}`);
  return [textOf(message), ...tools].filter((part) => part !== '').join(' ');
}

function factsOf(facts: Readonly<Record<string, unknown>>): string {
  return Object.entries(facts)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
}

/** On one line, cut where it shows, and without anything that a terminal would obey. */
function brief(text: string): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
  const hidden = plain.length - SHOWN_CHARACTERS;
  return hidden > 0 ? `${plain.slice(0, SHOWN_CHARACTERS)}… (+${hidden} characters)` : plain;
}
