import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { systemClock } from '../../clock.ts';
import { parseRecording } from '../../recording/recording-reader.ts';
import { ReplayPeer, scriptOf } from '../../replay/replay-peer.ts';
import { LineSplitter } from '../../wire/line-splitter.ts';
import { Journal } from './journal.ts';
import { ReplayFile } from './replay-scenario.ts';

/** Exit code of a fake that nobody ended in time. */
const LIFETIME_EXIT_CODE = 99;
/** As the real one says it; what is asked of a recording is not its release. */
const VERSION_ANSWER = '0.0.0 (replayed recording)\n';

main(process.argv[2] ?? '', process.argv.slice(3));

/** A process that plays the CLI's part of one process of a recording. */
function main(scenarioPath: string, argv: readonly string[]): void {
  if (argv.includes('--version')) {
    process.stdout.write(VERSION_ANSWER);
    return;
  }
  const folder = dirname(scenarioPath);
  const journal = new Journal(join(folder, 'journal.ndjson'));
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) if (value !== undefined) env[name] = value;
  journal.add({ kind: 'start', argv, cwd: process.cwd(), env });
  const { recording, match, timing, lifetimeMs } = ReplayFile.parse(JSON.parse(readFileSync(scenarioPath, 'utf8')));
  systemClock.setTimeout(() => leave(journal, 'lifetime', LIFETIME_EXIT_CODE), lifetimeMs);
  const number = numberOfStart(folder);
  const peer = new ReplayPeer(
    scriptOf(parseRecording(recording).frames, number),
    {
      output: (bytes) => void process.stdout.write(bytes),
      stderr: (line) => void process.stderr.write(`${line}\n`),
      endOutput: () => void process.stdout.end(),
      exit: ({ exitCode, signal }) => {
        // What was written before is read before.
        const end = () => (signal === null ? leave(journal, 'replayed', exitCode ?? 0) : die(journal, signal));
        if (process.stdout.writableEnded) end();
        else process.stdout.write('', end);
      },
      mismatch: ({ step, place, expected, got }) =>
        journal.surprise(place === '' ? `step ${step}` : `step ${step}, ${place}`, expected, got),
    },
    systemClock,
    { match, timing },
  );
  listen(peer, journal);
  peer.start();
}

function listen(peer: ReplayPeer, journal: Journal): void {
  const splitter = new LineSplitter();
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    process.on(name, () => {
      journal.add({ kind: 'signal', name });
      peer.signalled(name);
    });
  }
  process.stdin.on('data', (chunk: Buffer) => {
    splitter.push(chunk, (line) => {
      journal.add({ kind: 'line', bytes: line.length, text: line.toString('utf8').slice(0, 65_536) });
      peer.heard(line);
    });
  });
  process.stdin.on('end', () => {
    journal.add({ kind: 'eof' });
    peer.inputEnded();
  });
  process.stdin.on('error', () => peer.inputEnded());
}

/** From 1; making a file decides who is n-th. */
function numberOfStart(folder: string): number {
  const starts = join(folder, 'starts');
  mkdirSync(starts, { recursive: true });
  for (let number = 1; ; number += 1) {
    try {
      closeSync(openSync(join(starts, String(number)), 'wx'));
      return number;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
  }
}

function leave(journal: Journal, reason: string, code: number): void {
  journal.add({ kind: 'exit', reason, code });
  process.exit(code);
}

function die(journal: Journal, signal: string): void {
  journal.add({ kind: 'exit', reason: signal, code: null });
  process.removeAllListeners();
  process.kill(process.pid, signal);
}
