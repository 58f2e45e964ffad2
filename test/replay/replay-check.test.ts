import { describe, expect, it } from 'vitest';
import type { RecordingHeader } from '../../src/recording/recording.ts';
import { type ReplayTransport, replayTransport } from '../../src/replay/replay-transport.ts';
import { fakeClaude } from '../../src/testing/fake-cli/fake-claude.ts';

const HEADER: RecordingHeader = { format: 'troupe-recording', version: 1 };
const RECORDING = { header: HEADER, frames: [] };

describe('a replay is checked before it is played', () => {
  it.each([
    [{ match: 'some' }, 'match'],
    [{ timing: 0 }, 'timing'],
    [{ timing: -1 }, 'timing'],
    [{ rules: [] }, 'rules'],
  ])('%j', async (how, field) => {
    const expected = { code: 'INVALID_OPTIONS', details: { field } };
    expect(failureOf(() => Reflect.apply(replayTransport, undefined, [RECORDING, how]))).toMatchObject(expected);
    await expect(fromOutside({ recording: RECORDING, ...how })).rejects.toMatchObject(expected);
  });

  it.each([
    [undefined, 'recording'],
    [null, 'recording'],
    [{}, 'recording.header'],
    [{ ...RECORDING, frames: [{}] }, 'recording.frames.0.direction'],
  ])('the recording %j', async (recording, field) => {
    const expected = { code: 'INVALID_OPTIONS', details: { field } };
    expect(failureOf(() => Reflect.apply(replayTransport, undefined, [recording]))).toMatchObject(expected);
    await expect(fromOutside({ recording })).rejects.toMatchObject(expected);
  });

  it('what is no scenario at all is refused as one', async () => {
    await expect(fromOutside(null)).rejects.toMatchObject({ code: 'INVALID_OPTIONS' });
  });
});

/** As JavaScript calls it. */
function fromOutside(scenario: unknown): Promise<unknown> {
  return Reflect.apply(fakeClaude, undefined, [scenario]);
}

function failureOf(work: () => ReplayTransport): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
