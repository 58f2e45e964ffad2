import { readFile } from 'node:fs/promises';
import { TroupeError } from '../../errors.ts';
import type { Scenario } from './scenario.ts';
import { checkScenario } from './scenario-check.ts';

/**
 * Reads a scenario from a JSON file and checks it.
 *
 * @throws INVALID_OPTIONS when the file cannot be read, is not JSON, or is no scenario; the text names the file and the place.
 */
export async function readScenario(path: string): Promise<Scenario> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw refused(path, 'cannot be read', cause);
  });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw refused(path, `is not JSON (${(cause as Error).message})`, cause);
  }
  try {
    checkScenario(value as Scenario);
  } catch (cause) {
    if (!TroupeError.is(cause)) throw cause;
    throw refused(path, `${String(cause.details['place'])}: ${String(cause.details['problem'])}`, cause);
  }
  // Checked field by field.
  return value as Scenario;
}

function refused(path: string, problem: string, cause: unknown): TroupeError {
  return new TroupeError('INVALID_OPTIONS', { reason: `${path}: ${problem}.`, cause, details: { path, problem } });
}
