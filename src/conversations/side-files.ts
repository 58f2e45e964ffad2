import { join } from 'node:path';
import { parseRecord, stringOf } from '../wire/fields.ts';
import { readSmall } from './regular-file.ts';
import { sideFolderOf, type TranscriptPlace } from './transcript-places.ts';

const MOST_BYTES = 4 * 1024;
export const ARCHIVE_FILE = 'archived.json';

/** The title kept beside the transcript, where newer CLIs put it, too. */
export async function readSideTitle(place: TranscriptPlace): Promise<string | undefined> {
  const text = await readSmall(join(sideFolderOf(place), 'custom-title.json'), MOST_BYTES);
  const title = stringOf(parseRecord(text ?? '')?.['customTitle']);
  return (
    title
      ?.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
      .trim()
      .slice(0, 200) || undefined
  );
}

/** Whether the conversation was archived, and when that was said. */
export async function readArchiveMark(place: TranscriptPlace): Promise<{ archived: boolean; at: number } | undefined> {
  const text = await readSmall(join(sideFolderOf(place), ARCHIVE_FILE), MOST_BYTES);
  const { archived, at } = parseRecord(text ?? '') ?? {};
  const time = Date.parse(stringOf(at) ?? '');
  return typeof archived === 'boolean' && !Number.isNaN(time) ? { archived, at: time } : undefined;
}
