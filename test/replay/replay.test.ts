import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RecordedFrame, Recording } from '../../src/recording/recording.ts';
import { readRecording } from '../../src/recording/recording-reader.ts';
import type { ReplayOptions } from '../../src/replay/replay-peer.ts';
import { replayTransport } from '../../src/replay/replay-transport.ts';
import type { Session } from '../../src/session/session.ts';
import { createSupervisor } from '../../src/supervision/supervisor.ts';
import { simulatedClock } from '../../src/testing/simulated-clock.ts';
import { temporaryFolder } from '../recording/temporary-folder.ts';
import { type MemoryCli, memoryStage, until } from '../session/memory-cli.ts';

describe('a recording as a CLI', () => {
  it('says again what it said then, to a host that does the same, with the ids of that host', async () => {
    const recording = await recordedSession();
    const { result, session, violations, stop } = await replayed(recording);

    expect(await result).toMatchObject({ outcome: 'completed', text: 'it is 4' });
    expect(session.turns().length).toBe(1);
    await stop();
    expect(violations()).toEqual([]);
  });

  it('finds a host that says something else: which step, where, what was expected and what came', async () => {
    const recording = await recordedSession();
    const { result, violations, stop } = await replayed(recording, {}, 'what is 3 + 3?');

    expect(await result).toMatchObject({ outcome: 'completed' });
    await stop();
    const step = recording.frames.findIndex((frame) => textOf(frame).includes('what is 2')) + 1;
    expect(violations()).toEqual([
      { step, place: 'message.content', expected: 'what is 2 + 2?', got: 'what is 3 + 3?' },
    ]);
  });

  it('with exact matching takes no other id for the recorded one', async () => {
    const { violations, stop } = await replayed(await recordedSession(), { match: 'exact' });
    await until(() => violations().length > 0);

    expect(violations()).toMatchObject([{ place: 'uuid' }]);
    await stop();
  });

  it('with matching by kind takes any line of the same kind', async () => {
    const recording = await recordedSession();
    const { result, violations, stop } = await replayed(recording, { match: 'kind' }, 'something else');

    expect(await result).toMatchObject({ outcome: 'completed', text: 'it is 4' });
    await stop();
    expect(violations()).toEqual([]);
  });

  it('tells what the host did not say before it left', async () => {
    const { violations, stop } = await replayed(await recordedSession(), {}, null);
    await stop();

    expect(violations()).toMatchObject([
      { expected: expect.stringContaining('what is 2 + 2?'), got: 'the end of the input' },
    ]);
  });

  it('ends as it did: a process that was killed is lost again, and the next one is the next of the recording (P8)', async () => {
    const folder = await temporaryFolder();
    const stage = await memoryStage({ record: folder });
    await until(() => stage.session.state === 'ready');
    stage.cli().peer.exit({ exitCode: null, signal: 'SIGKILL' });
    await until(() => stage.session.state === 'backing-off');
    await stage.clock.advance(60_000);
    await until(() => stage.clis.length === 2 && stage.session.state === 'ready');
    await stage.supervisor.shutdown();
    const { session, clock, violations, stop } = await replayed(
      await readRecording(join(folder, 'review.ndjson')),
      {},
      null,
    );

    await until(() => session.state === 'backing-off');
    expect(JSON.stringify(session.explain())).toContain('SIGKILL');
    await clock.advance(60_000);
    await until(() => session.state === 'ready' && session.incarnation === 2);
    await stop();
    expect(violations()).toEqual([]);
  });

  it('takes the time it took, or a part of it', async () => {
    const recording: Recording = {
      header: { format: 'troupe-recording', version: 1 },
      frames: [line('<', 0, '{"type":"a"}'), line('<', 1_000, '{"type":"b"}'), line('<', 3_000, '{"type":"c"}')],
    };
    for (const [timing, seconds] of [
      ['none', [0, 0, 0]],
      ['recorded', [0, 1, 3]],
      [2, [0, 0.5, 1.5]],
    ] as const) {
      const clock = simulatedClock();
      const heard: number[] = [];
      const { open } = replayTransport(recording, { timing, clock });
      const plan = { command: 'a', args: [], cwd: '/', env: {}, mark: 'm', temporaryFiles: [] };
      const transport = await open(
        { ...plan, keepDescendants: false, stderrTailBytes: 10 },
        { output: () => heard.push(clock.now() / 1000), stderr: () => {} },
      );
      await clock.advance(5_000);
      await transport.killTree(0);

      expect(heard, String(timing)).toEqual(seconds);
    }
  });

  it('of which secrets were taken out is the same with the secrets in it (P11)', async () => {
    const recording = await recordedSession({ values: ['four-letter-word'] }, 'say four-letter-word, please');
    expect(recording.frames.map(textOf).join('\n')).toContain('say [redacted], please');
    const { violations, stop, result } = await replayed(recording, {}, 'say four-letter-word, please');
    await result;
    await stop();

    expect(violations()).toEqual([]);
  });
});

async function recordedSession(secrets = {}, prompt = 'what is 2 + 2?'): Promise<Recording> {
  const folder = await temporaryFolder();
  const stage = await memoryStage({ record: folder, secrets });
  await until(() => stage.session.state === 'ready');
  const turn = stage.session.prompt(prompt);
  await until(() => stage.cli().prompts().length > 0);
  answer(stage.cli());
  await turn.result;
  await stage.supervisor.shutdown();
  return readRecording(join(folder, 'review.ndjson'));
}

function answer(cli: MemoryCli): void {
  cli.openTurn();
  cli.say({ type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text: 'it is 4' }] } });
  cli.endTurn({ result: 'it is 4' });
}

async function replayed(recording: Recording, options: ReplayOptions = {}, prompt: string | null = 'what is 2 + 2?') {
  const clock = simulatedClock({ startAt: 1 });
  const { open, violations } = replayTransport(recording, { clock, ...options });
  const supervisor = createSupervisor({ clock, spawn: open, pathToClaudeCodeExecutable: process.execPath });
  const session: Session = await supervisor.start({ id: 'again' });
  const result = prompt === null ? undefined : session.prompt(prompt).result;
  const stop = async () => {
    await session.close();
    await supervisor.shutdown();
  };
  return { session, clock, violations, stop, result };
}

function line(direction: '<' | '>', atMs: number, text: string): RecordedFrame {
  return { direction, atMs, process: 1, bytes: Buffer.from(text), isCut: false };
}

function textOf(frame: RecordedFrame): string {
  return frame.direction === 'n' ? '' : frame.bytes.toString();
}
