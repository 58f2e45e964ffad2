import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { replayInSession } from '../../src/cli/replay/session-replay.ts';
import type { Recording } from '../../src/recording/recording.ts';
import { readRecording } from '../../src/recording/recording-reader.ts';
import { simulatedClock } from '../../src/testing/simulated-clock.ts';
import type { Decoded } from '../../src/wire/codec.ts';
import { streamJson } from '../../src/wire/stream-json/codec.ts';

/** What a recording is in the neutral model, and how a session ends that lives through it. */
export interface SurveyRow {
  readonly name: string;
  /** How many of each kind. */
  readonly neutral: Readonly<Record<string, number>>;
  /** Of all of them, with what they say. */
  readonly hash: string;
  /** The states of the session, one after the other. */
  readonly states: string;
  readonly ended: string | undefined;
  /** What became of the prompts, in order of their end. */
  readonly outcomes: readonly string[];
  /** How each question was settled; `open` where it was not. */
  readonly questions: readonly string[];
  readonly turns: number;
  readonly costUsd: number | undefined;
}

export async function surveyRow(version: string, file: string): Promise<SurveyRow> {
  const recording = await readRecording(file);
  const decoded = neutral(recording);
  const neutralKinds = decoded.map(kindOf).sort();
  const counts: Record<string, number> = {};
  for (const kind of neutralKinds) counts[kind] = (counts[kind] ?? 0) + 1;
  const hash = createHash('sha256').update(decoded.map(textOf).join('\n')).digest('hex').slice(0, 16);
  return { name: `${version}/${basename(file, '.ndjson')}`, neutral: counts, hash, ...(await endOf(recording)) };
}

function neutral({ frames }: Recording): Decoded[] {
  const decoded: Decoded[] = [];
  for (const frame of frames) if (frame.direction === '<') streamJson.decode(frame.bytes, (one) => decoded.push(one));
  return decoded;
}

function kindOf(decoded: Decoded): string {
  if (decoded.kind === 'message') {
    const { type, subtype } = decoded.message;
    return subtype === undefined ? type : `${type}/${subtype}`;
  }
  if (decoded.kind === 'control-request') return `control-request/${decoded.subtype}`;
  if (decoded.kind === 'control-response') return `control-response/${decoded.outcome.ok ? 'success' : 'error'}`;
  return decoded.kind === 'diagnostic' ? `diagnostic/${decoded.reason}` : decoded.kind;
}

function textOf(decoded: Decoded): string {
  if (decoded.kind !== 'message') return JSON.stringify(decoded);
  const { type, subtype, value } = decoded.message;
  return JSON.stringify({ kind: 'message', type, subtype, value });
}

async function endOf(recording: Recording) {
  const clock = simulatedClock({ startAt: Date.UTC(2026, 0, 1) });
  const events: { readonly type: string; readonly [field: string]: unknown }[] = [];
  const { supervisor, session, played } = await replayInSession(recording, {
    id: 'survey',
    clock,
    pace: async (gapMs) => {
      // Enough for a restart between two processes, and for a look at what was said.
      await clock.advance(Math.max(100, gapMs));
    },
  });
  supervisor.on('event', (event) => events.push({ ...event }));
  await played;
  const states = session.history().map(({ state }) => state);
  const usage = session.usage();
  const turns = session.turns().length;
  const open = session.permissions.pending().map(() => 'open');
  const told = (type: string) => events.filter((event) => event.type === type);
  const row = {
    states: states.join(' '),
    ended: told('session.ended').map((event) => endText(event))[0],
    outcomes: told('prompt.ended').map(({ outcome }) => String(outcome)),
    questions: [...told('permission.settled').map((event) => settledText(event)), ...open],
    turns,
    costUsd: usage.costUsd,
  };
  let isDown = false;
  void supervisor.shutdown().then(() => {
    isDown = true;
  });
  while (!isDown) await clock.advance(1_000);
  return row;
}

function endText({ cause, error }: Readonly<Record<string, unknown>>): string {
  const reason = cause ?? error;
  return typeof reason === 'object' && reason !== null && 'code' in reason ? String(reason.code) : String(reason);
}

function settledText({ settlement, outcome, decision }: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(settlement ?? outcome ?? decision ?? null);
}
