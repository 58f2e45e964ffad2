import { readFileSync } from 'node:fs';
import { parseRecording } from '../../../src/recording/recording-reader.ts';
import { timelineLine } from '../../../src/replay/recording-timeline.ts';
import { checkRecording } from '../../../src/replay/replay-check.ts';
import { scriptOf } from '../../../src/replay/replay-peer.ts';
import { replayTransport } from '../../../src/replay/replay-transport.ts';
import { CORPUS, scenariosOf } from '../../wire/recordings.ts';
import { jsonSeeds } from '../json-input.ts';
import { attempt } from '../refusals.ts';
import { type FuzzTarget, holds } from '../target.ts';

const OURS = [
  { format: 'troupe-recording', version: 1, startedAt: '2026-01-01T00:00:00Z', session: 's' },
  { t: 0, p: 1, dir: 'n', note: { kind: 'start', command: 'claude', args: ['--verbose'], cwd: '/project' } },
  { t: 1, p: 1, dir: '>', line: '{"type":"control_request","request_id":"r","request":{"subtype":"initialize"}}' },
  { t: 2, p: 1, dir: '<', line: '{"type":"control_response","response":{"subtype":"success","request_id":"r"}}' },
  { t: 3, p: 1, dir: '<', bytes: 'gA==', cut: true },
  { t: 3, p: 1, dir: 'e', line: 'warning' },
  { t: 4, p: 1, dir: 'n', note: { kind: 'gap', lines: 1, bytes: 10 } },
  { t: 5, p: 1, dir: 'n', note: { kind: 'exit', exitCode: 0, signal: null } },
];

export const target: FuzzTarget = {
  name: 'recordings',
  promise: 'P6, P10 A file of any content is a recording that can be played, or refused with the line that is wrong.',
  format: 'ndjson',
  isGuided: true,
  seeds: () => [
    Buffer.from(`${jsonSeeds(...OURS).join('\n')}\n`),
    ...[...scenariosOf(CORPUS).values()]
      .flat()
      .slice(0, 15)
      .map((file) => readFileSync(file)),
  ],
  open: () => ({ run: reads }),
};

function reads(input: Buffer): void {
  const read = attempt(() => parseRecording(input), 'RECORDING_INVALID');
  if (!('value' in read)) {
    const { line, reason } = read.refused.details;
    holds(typeof line === 'number' && typeof reason === 'string', 'A refusal names no line.');
    return;
  }
  const recording = read.value;
  attempt(() => checkRecording(recording), 'RECORDING_INVALID', 'INVALID_OPTIONS');
  for (const frame of recording.frames) holds(typeof timelineLine(frame) === 'string', 'A frame has no line.');
  scriptOf(recording.frames, 1);
  attempt(() => replayTransport(recording), 'RECORDING_INVALID', 'INVALID_OPTIONS');
}
