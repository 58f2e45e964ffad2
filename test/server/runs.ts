import { EventRun } from '../../src/store/event-run.ts';
import { DeltaLayout } from '../../src/wire/delta-layout.ts';
import { LineRun } from '../../src/wire/line-run.ts';

/** Pieces of an answer as they were logged in one thing, the first of them with this number. */
export function runOf(seq: number, texts: readonly (string | Buffer)[]): EventRun {
  const layout = DeltaLayout.of(deltaOf('x'));
  if (layout === undefined) throw new Error('It has no layout.');
  const bytes = Buffer.concat(texts.flatMap((text) => [deltaOf(text), Buffer.from('\n')]));
  return new EventRun(seq, 2, 1_700_000_000_000, new LineRun(bytes, texts.length, layout));
}

export function deltaOf(text: string | Buffer): Buffer {
  const start =
    '{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"';
  const end = '"}},"session_id":"c","parent_tool_use_id":null,"uuid":"00000000-0000-4000-8000-000000000000"}';
  return Buffer.concat([Buffer.from(start), Buffer.from(text), Buffer.from(end)]);
}
