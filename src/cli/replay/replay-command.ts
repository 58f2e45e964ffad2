import { setTimeout } from 'node:timers/promises';
import type { Command } from 'commander';
import { frameText, type RecordedFrame, type Recording } from '../../recording/recording.ts';
import { readRecording } from '../../recording/recording-reader.ts';
import { timelineLine } from '../../replay/recording-timeline.ts';
import { newToken } from '../../server/access.ts';
import { examples } from '../examples.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { LEAVE_EXIT, type LeaveReason } from '../leave.ts';
import { HIGHEST_PORT, positiveNumber, wholeNumber } from '../numbers.ts';
import { replayInSession } from './session-replay.ts';

export interface ReplayFlags {
  json?: true;
  speed?: number;
  until?: number;
  serve?: true;
  port?: number;
}

/** What `troupe replay` needs of the world. */
export interface ReplayWorld {
  readonly write: (text: string) => void;
  readonly onLeave: (listener: (why: LeaveReason) => void) => () => void;
}

export function addReplayCommand(
  program: Command,
  world: ReplayWorld,
  done: (work: Promise<ExitCode>) => Promise<void>,
) {
  const command = program
    .command('replay')
    .description('Shows a recording: line by line, or as a session in the browser.')
    .argument('<file>', 'the recording')
    .option('--json', 'a line of JSON for each line of the recording')
    .option(
      '--speed <factor>',
      'with the pauses there were, so many times as fast (default: no pauses)',
      positiveNumber,
    )
    .option('--until <seconds>', 'only what came up to this time of the recording', positiveNumber)
    .option('--serve', 'play it to a session, and serve the page that shows it; nothing can be changed there')
    .option('--port <number>', 'the port of the page; 0 for any that is free', wholeNumber({ most: HIGHEST_PORT }), 0)
    .addHelpText(
      'after',
      `
→ what was written to the CLI, ← what it wrote, ! its standard error, · what happened beside.
Exit codes: 0 shown, 1 the file is no recording (RECORDING_INVALID says which line and why), 2 wrong usage.`,
    )
    .action((file: string, flags: ReplayFlags) => done(replay(file, flags, world)));
  examples(command, [
    ['troupe replay fix.ndjson', 'line by line'],
    ['troupe replay fix.ndjson --speed 1', 'with the pauses there were'],
    ['troupe replay fix.ndjson --serve', 'as a session in the browser'],
  ]);
}

export async function replay(file: string, flags: ReplayFlags, world: ReplayWorld): Promise<ExitCode> {
  const recording = cut(await readRecording(file), flags.until);
  return flags.serve === true ? serve(recording, flags, world) : show(recording, flags, world);
}

async function show(
  { header, frames }: Recording,
  { json, speed }: ReplayFlags,
  { write }: ReplayWorld,
): Promise<ExitCode> {
  if (json === true) write(`${JSON.stringify(header)}\n`);
  let before = frames[0]?.atMs ?? 0;
  for (const frame of frames) {
    const gapMs = speed === undefined ? 0 : (frame.atMs - before) / speed;
    before = frame.atMs;
    if (gapMs >= 1) await setTimeout(Math.min(gapMs, MOST_GAP_MS));
    write(`${json === true ? frameText(frame) : timelineLine(frame)}\n`);
  }
  return EXIT.done;
}

/** The page looks at a session that hears the recording; whoever opens it may only read. */
async function serve(
  recording: Recording,
  { speed, port = 0, json }: ReplayFlags,
  world: ReplayWorld,
): Promise<ExitCode> {
  const { createServer } = await import('../../server/server.ts');
  const left = new Promise<LeaveReason>((resolve) => {
    world.onLeave(resolve);
  });
  // Whoever leaves in a pause does not wait for its end.
  const pace = (gapMs: number) =>
    setTimeout(speed === undefined ? 0 : Math.min(gapMs / speed, MOST_GAP_MS), undefined, { ref: false });
  const { supervisor, session, played } = await replayInSession(recording, { pace });
  const server = await createServer({
    supervisor,
    port,
    tokens: [{ name: 'viewer', token: newToken(), scopes: ['read'] }],
  });
  const page = server.loginUrl();
  if (json === true)
    world.write(`${JSON.stringify({ url: server.url, loginUrl: page, session: session.id, pid: process.pid })}\n`);
  else world.write(`The recording is at ${server.url}, to be read only. Open this once: ${page}\n`);
  await Promise.race([played, left]);
  const why = await left;
  await server.close();
  await supervisor.shutdown({ timeoutMs: 1_000 });
  return LEAVE_EXIT[why];
}

/** Longer than this nobody watches a pause. */
const MOST_GAP_MS = 2 ** 31 - 1;

function cut({ header, frames }: Recording, untilSeconds = Number.POSITIVE_INFINITY): Recording {
  const isIn = ({ atMs }: RecordedFrame) => atMs <= untilSeconds * 1000;
  return { header, frames: frames.filter(isIn) };
}
