import type { Clock } from '../clock.ts';
import { systemClock } from '../clock.ts';
import type { Recording } from '../recording/recording.ts';
import { openInMemory } from '../transport/in-memory-transport.ts';
import type { OpenTransport } from '../transport/transport.ts';
import { checkedHow, checkRecording, ReplayHow } from './replay-check.ts';
import { type ReplayMismatch, type ReplayOptions, ReplayPeer, scriptOf } from './replay-peer.ts';

export interface ReplayTransport {
  /** Give this as `spawn` of a supervisor: its n-th process is the n-th of the recording. */
  readonly open: OpenTransport;
  /** Where the host did something else than the recording has, so far. */
  violations(): readonly ReplayMismatch[];
}

/** A recording as a CLI in memory: no process, and no time but that of the clock. Throws INVALID_OPTIONS. */
export function replayTransport(
  recording: Recording,
  { clock = systemClock, ...options }: ReplayOptions & { readonly clock?: Clock } = {},
): ReplayTransport {
  checkRecording(recording);
  checkedHow(ReplayHow, options);
  const found: ReplayMismatch[] = [];
  let started = 0;
  const open = openInMemory((far) => {
    started += 1;
    const peer = new ReplayPeer(
      scriptOf(recording.frames, started),
      {
        output: (bytes) => far.output(bytes),
        stderr: (line) => far.stderr(line),
        // Its output ends with it.
        endOutput: () => {},
        exit: (report) => far.exit(report),
        mismatch: (mismatch) => found.push(mismatch),
      },
      clock,
      options,
    );
    far.onInput((line) => peer.heard(Buffer.from(line)));
    far.onSignal((name) => peer.signalled(name));
    void far.inputEnded.then(() => peer.inputEnded());
    peer.start();
  });
  return { open, violations: () => found };
}
