import { expect, it, onTestFinished } from 'vitest';
import { replayInSession } from '../../src/cli/replay/session-replay.ts';
import type { RecordedFrame, RecordingHeader } from '../../src/recording/recording.ts';

const HEADER: RecordingHeader = { format: 'troupe-recording', version: 1 };
const ALIVE: RecordedFrame = {
  direction: '<',
  atMs: 0,
  process: 1,
  bytes: Buffer.from('{"type":"keep_alive"}'),
  isCut: false,
};

it('a recording with more lines than a call takes arguments is played', async () => {
  const frames = Array.from({ length: 200_000 }, () => ALIVE);
  const session = await played({ header: { ...HEADER, session: 'long' }, frames });

  expect(session.id).toBe('long');
});

it('a name that cannot be the id of a session is left out', async () => {
  const session = await played({ header: { ...HEADER, session: '../<b>' }, frames: [ALIVE] });

  expect(session.id).toBe('replay');
});

/** Its beginning is enough here. */
async function played(recording: Parameters<typeof replayInSession>[0]) {
  const { supervisor, session } = await replayInSession(recording, { pace: () => new Promise(() => {}) });
  onTestFinished(() => supervisor.shutdown({ timeoutMs: 1 }).then(() => {}));
  return session;
}
