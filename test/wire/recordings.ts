import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The recordings that travel with the code. */
export const CORPUS = fileURLToPath(new URL('../corpus', import.meta.url));

/** The complete survey, where it lies beside the project. */
export const SURVEY = fileURLToPath(new URL('../../../shared/wire', import.meta.url));

/** What one recorded line says: a JSON value, or text that was none. */
export interface Recorded {
  readonly direction: '<' | '>';
  readonly message: Record<string, unknown>;
}

export function isThere(folder: string): boolean {
  return existsSync(folder);
}

/** Scenario files by version, sorted. */
export function scenariosOf(folder: string): Map<string, string[]> {
  const versions = readdirSync(folder).sort();
  return new Map(versions.map((version) => [version, scenarioFiles(join(folder, version))]));
}

/** The lines on stdin and stdout; notes, stderr, exits and API traffic are left out. */
export function readRecording(file: string): Recorded[] {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return lines.flatMap((line) => {
    const { dir: direction, msg: message } = JSON.parse(line);
    return direction === '<' || direction === '>' ? [{ direction, message }] : [];
  });
}

function scenarioFiles(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.ndjson'))
    .sort()
    .map((name) => join(folder, name));
}
