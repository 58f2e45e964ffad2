import type { ToolItem, Transcript, TranscriptItem } from './transcript.ts';

/** Items that a transcript keeps; the oldest go first. */
const MOST_ITEMS = 2_000;
/** Characters of one text, the end of what is longer is left out. */
const MOST_CHARACTERS = 256 * 1024;

export function added(transcript: Transcript, item: TranscriptItem): Transcript {
  const items = [...transcript.items, item];
  const over = Math.max(0, items.length - MOST_ITEMS);
  return { ...transcript, items: over === 0 ? items : items.slice(over), dropped: transcript.dropped + over };
}

/** With another item in the place of the newest one that fits; the same transcript where none does. */
export function replaced(
  transcript: Transcript,
  fits: (item: TranscriptItem) => boolean,
  change: (item: TranscriptItem) => TranscriptItem,
): Transcript {
  const index = transcript.items.findLastIndex(fits);
  const item = transcript.items[index];
  if (item === undefined) return transcript;
  return { ...transcript, items: transcript.items.with(index, change(item)) };
}

/** With the tool of that use changed. */
export function toolChanged(
  transcript: Transcript,
  toolUseId: string,
  change: (tool: ToolItem) => ToolItem,
): Transcript {
  return replaced(
    transcript,
    (item) => item.kind === 'tool' && item.toolUseId === toolUseId,
    (item) => (item.kind === 'tool' ? change(item) : item),
  );
}

/** With every item as the change has it; the same list where it changes none. */
export function everyItem(transcript: Transcript, change: (item: TranscriptItem) => TranscriptItem): Transcript {
  const items = transcript.items.map(change);
  return items.some((item, index) => item !== transcript.items[index]) ? { ...transcript, items } : transcript;
}

export function bounded(text: string): string {
  return text.length <= MOST_CHARACTERS ? text : text.slice(0, MOST_CHARACTERS);
}
