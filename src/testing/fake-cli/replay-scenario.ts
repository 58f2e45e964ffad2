import { z } from 'zod';
import { type Recording, recordingText } from '../../recording/recording.ts';
import { readRecording } from '../../recording/recording-reader.ts';
import { checkedHow, checkRecording, ReplayHow } from '../../replay/replay-check.ts';
import type { ReplayOptions } from '../../replay/replay-peer.ts';

/** A recording, or the path of one, and how it is played. */
export interface ReplayScenario extends ReplayOptions {
  readonly recording: Recording | string;
  /** The process ends itself after this many milliseconds, with exit code 99. Default 120 000. */
  readonly lifetimeMs?: number;
}

const How = ReplayHow.extend({ lifetimeMs: z.number().positive().default(120_000) });

/** What the program of the fake reads. */
export const ReplayFile = How.extend({ recording: z.string() });

/** Rejects with INVALID_OPTIONS, RECORDING_INVALID, or what the system says of the file. */
export async function replayFile({ recording, ...how }: ReplayScenario): Promise<string> {
  const checked = checkedHow(How, how);
  if (typeof recording !== 'string') checkRecording(recording);
  const whole = typeof recording === 'string' ? await readRecording(recording) : recording;
  return JSON.stringify({ ...checked, recording: recordingText(whole) });
}
