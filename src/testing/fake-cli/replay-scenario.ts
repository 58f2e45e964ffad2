import { z } from 'zod';
import { TroupeError } from '../../errors.ts';
import { type Recording, recordingText } from '../../recording/recording.ts';
import { readRecording } from '../../recording/recording-reader.ts';
import type { ReplayOptions } from '../../replay/replay-peer.ts';

/** A recording, or the path of one, and how it is played. */
export interface ReplayScenario extends ReplayOptions {
  readonly recording: Recording | string;
  /** The process ends itself after this many milliseconds, with exit code 99. Default 120 000. */
  readonly lifetimeMs?: number;
}

const How = z.strictObject({
  match: z.enum(['exact', 'ids', 'kind']).default('ids'),
  timing: z.union([z.enum(['none', 'recorded']), z.number().positive()]).default('none'),
  lifetimeMs: z.number().positive().default(120_000),
});

/** What the program of the fake reads. */
export const ReplayFile = How.extend({ recording: z.string() });

/** Rejects with INVALID_OPTIONS, RECORDING_INVALID, or what the system says of the file. */
export async function replayFile({ recording, ...how }: ReplayScenario): Promise<string> {
  const parsed = How.safeParse(how);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const details = { field: issue?.path.join('.') ?? '', reason: issue?.message };
    throw new TroupeError('INVALID_OPTIONS', { reason: `"${details.field}": ${details.reason}.`, details });
  }
  const whole = typeof recording === 'string' ? await readRecording(recording) : recording;
  return JSON.stringify({ ...parsed.data, recording: recordingText(whole) });
}
