import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RecordOptions } from '../../src/launch/record-options.ts';
import { readRecording } from '../../src/recording/recording-reader.ts';
import { memoryStage, sendPrompt, until } from '../session/memory-cli.ts';
import { temporaryFolder } from './temporary-folder.ts';

type Line = Record<string, unknown>;
type Stage = Awaited<ReturnType<typeof memoryStage>>;

describe('the option record', () => {
  it('keeps every line of a session, in order, with the start and the end of its process', async () => {
    const folder = await temporaryFolder();
    await playTurn({ record: folder });
    const { header, frames } = await readRecording(join(folder, 'review.ndjson'));

    expect(header).toMatchObject({ format: 'troupe-recording', version: 1, session: 'review' });
    expect(header.startedAt).toBe('2026-01-01T00:00:00.000Z');
    expect(frames.map(kindOf)).toEqual([
      'n start',
      '> control_request',
      '< control_response',
      '> user',
      '< system',
      '< command_lifecycle',
      '< result',
      '< command_lifecycle',
      'n input-ended',
      'n exit',
    ]);
  });

  it('keeps what is no message as the bytes it was: carriage returns, broken UTF-8, a last line that was cut', async () => {
    const folder = await temporaryFolder();
    const odd = [Buffer.from('banner\r'), Buffer.from([0xff, 0xfe, 0x41]), Buffer.from('{"type":"assi')];
    const stage = await memoryStage({ record: folder });
    await until(() => stage.session.state === 'ready');
    stage
      .cli()
      .peer.output(
        Buffer.concat(
          [odd[0] ?? '', Buffer.from('\n'), odd[1] ?? '', Buffer.from('\n'), odd[2] ?? ''].map(Buffer.from),
        ),
      );
    stage.cli().peer.stderr('a warning');
    await stage.supervisor.shutdown();
    const { frames } = await readRecording(join(folder, 'review.ndjson'));
    const lines = frames.flatMap((frame) => (frame.direction === '<' ? [frame] : [])).slice(1);

    expect(lines.map(({ bytes }) => bytes)).toEqual(odd);
    expect(lines.map(({ isCut }) => isCut)).toEqual([false, false, true]);
    expect(frames.find(({ direction }) => direction === 'e')).toMatchObject({ bytes: Buffer.from('a warning') });
  });

  it('has all processes of a session in one file, by number', async () => {
    const folder = await temporaryFolder();
    const stage = await memoryStage({ record: folder });
    await until(() => stage.session.state === 'ready');
    stage.cli().peer.exit({ exitCode: 1, signal: null });
    await until(() => stage.session.state === 'backing-off');
    await stage.clock.advance(60_000);
    await until(() => stage.clis.length === 2 && stage.session.state === 'ready');
    await stage.supervisor.shutdown();
    const { frames } = await readRecording(join(folder, 'review.ndjson'));

    expect(await readdir(folder)).toEqual(['review.ndjson']);
    expect(frames.filter((frame) => kindOf(frame) === 'n start').map(({ process }) => process)).toEqual([1, 2]);
    expect(frames.filter((frame) => kindOf(frame) === 'n exit').map(({ process }) => process)).toEqual([1, 2]);
    expect(frames.at(-1)?.atMs).toBeGreaterThan(0);
  });

  it('makes a file for its owner alone, and never writes over one that is there (P11)', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'review.ndjson'), 'mine');
    await symlink(join(folder, 'elsewhere'), join(folder, 'review-2.ndjson'));
    await playTurn({ record: folder });

    expect((await readdir(folder)).sort()).toEqual(['review-2.ndjson', 'review-3.ndjson', 'review.ndjson']);
    expect(await readFile(join(folder, 'review.ndjson'), 'utf8')).toBe('mine');
    expect((await stat(join(folder, 'review-3.ndjson'))).mode & 0o777).toBe(0o600);
    await playTurn({ record: { path: folder, ifExists: 'replace' } });
    expect((await readRecording(join(folder, 'review.ndjson'))).header.session).toBe('review');
  });

  it('that cannot be written is told once, and the session goes on', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'file'), '');
    const stage = await memoryStage({ record: join(folder, 'file', 'below') });
    await until(() => stoppedIn(stage).length > 0);
    const result = await turnOf(stage);
    await stage.supervisor.shutdown();

    expect(result.outcome).toBe('completed');
    expect(stoppedIn(stage)).toEqual([expect.stringContaining('It could not be written: ENOTDIR')]);
  });

  it('of a session is a file: a folder of that name is told, and nothing is written beside it', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'runs.ndjson'));
    const stage = await memoryStage();
    void stage.supervisor.start({ id: 'a', record: join(folder, 'runs.ndjson') }).catch(() => {});
    await until(() => stoppedIn(stage).length > 0);
    await stage.supervisor.shutdown();

    expect(stoppedIn(stage)).toEqual([expect.stringContaining('is a folder')]);
    expect(await readdir(folder)).toEqual(['runs.ndjson']);
  });

  it('ends at its limit with a note, and the session goes on (P9)', async () => {
    const folder = await temporaryFolder();
    const { result, stopped } = await playTurn({ record: { path: folder, maxBytes: 1024 } });
    const path = join(folder, 'review.ndjson');
    const { frames } = await readRecording(path);

    expect(result.outcome).toBe('completed');
    expect(stopped).toEqual([expect.stringContaining('its limit of 1024 bytes')]);
    expect(frames.at(-1)).toMatchObject({ note: { kind: 'full', maxBytes: 1024 } });
    expect((await stat(path)).size).toBeLessThan(1024 + 200);
  });

  it('leaves no file of a session that never had a process', async () => {
    const folder = await temporaryFolder();
    const stage = await memoryStage();
    await stage.supervisor.start({ id: 'later', autoStart: false, record: join(folder, 'later.ndjson') });
    await stage.supervisor.shutdown();

    expect(await readdir(folder)).toEqual([]);
  });

  it.each([
    [{ path: '' }, 'record'],
    [{ path: 'a', maxBytes: 10 }, 'record'],
    [{ path: 'a', ifExist: 'replace' }, 'record'],
    ['', 'record'],
    [5, 'record', 'expected a path, or an object with a "path"'],
  ])('is checked: %j', async (record, field, reason = '') => {
    const stage = await memoryStage();
    // Wrong on purpose.
    const given = { id: 'other', record } as unknown as { record: RecordOptions };

    await expect(stage.supervisor.start(given)).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      details: { field: expect.stringContaining(field), reason: expect.stringContaining(reason) },
    });
    await stage.supervisor.shutdown();
  });
});

async function playTurn(options: { record: string | RecordOptions }) {
  const stage = await memoryStage(options);
  const result = await turnOf(stage);
  await stage.supervisor.shutdown();
  return { result, stopped: stoppedIn(stage) };
}

async function turnOf(stage: Stage) {
  await until(() => stage.session.state === 'ready');
  const turn = await sendPrompt(stage.session, stage.cli());
  stage.cli().openTurn();
  stage.cli().endTurn();
  return turn.result;
}

function stoppedIn({ events }: Stage): unknown[] {
  return events.flatMap((event) =>
    event.type === 'diagnostic' && 'reason' in event && event.reason === 'recording-stopped' && 'detail' in event
      ? [event.detail]
      : [],
  );
}

function kindOf(frame: Awaited<ReturnType<typeof readRecording>>['frames'][number]): string {
  if (frame.direction === 'n') return `n ${frame.note.kind}`;
  const { type } = JSON.parse(frame.bytes.toString()) as Line;
  return `${frame.direction} ${String(type)}`;
}
