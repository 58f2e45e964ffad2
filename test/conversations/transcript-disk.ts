import { mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A configuration folder on disk with transcripts made up for a test; gone after it. */
export interface TranscriptDisk {
  readonly root: string;
  readonly configDir: string;
  /** Writes a file below `projects`: rows, or text as it is. `age`: seconds it was written before now. Returns its path. */
  write(place: string, content: string | readonly object[], age?: number): string;
}

export function transcriptDisk(): TranscriptDisk {
  const root = mkdtempSync(join(realpathSync(tmpdir()), 'troupe-conversations-'));
  // Not a hook of this module: where modules are read once, that would be one of the first test file alone.
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const configDir = join(root, 'config');
  return {
    root,
    configDir,
    write(place, content, age = 0) {
      const path = join(configDir, 'projects', place);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, typeof content === 'string' ? content : linesOf(content));
      const at = Date.now() / 1_000 - age;
      utimesSync(path, at, at);
      return path;
    },
  };
}

/** The id of the n-th conversation of a test. */
export function idOf(number: number): string {
  return `${String(number).padStart(8, '0')}-0000-4000-8000-000000000000`;
}

/** The uuid of the n-th row of a test. */
export function uuidOf(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

export interface MadeRow {
  readonly type: string;
  readonly uuid: string;
  readonly parentUuid: string | null;
  readonly [field: string]: unknown;
}

/** A prompt as the CLI writes it; `more` replaces or adds fields. */
export function prompt(number: number, text: string, more: object = {}): MadeRow {
  return {
    type: 'user',
    uuid: uuidOf(number),
    parentUuid: number > 1 ? uuidOf(number - 1) : null,
    timestamp: new Date(1_700_000_000_000 + number * 1_000).toISOString(),
    sessionId: idOf(1),
    cwd: '/srv/app',
    isSidechain: false,
    message: { role: 'user', content: text },
    ...more,
  };
}

/** An answer as the CLI writes it, of a message of its own. */
export function answer(number: number, text: string, more: object = {}): MadeRow {
  const message = { id: `msg_${number}`, role: 'assistant', content: [{ type: 'text', text }] };
  return { ...prompt(number, text), type: 'assistant', message, ...more };
}

export function linesOf(rows: readonly object[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}
