import { describe, expect, it } from 'vitest';
import { textPieces } from '../../src/session/turn-text.ts';
import { CliMessage } from '../../src/wire/cli-message.ts';

type Json = Record<string, unknown>;

describe('the text of a turn, while it is written', () => {
  it('comes in the pieces of the stream, each once, although the block comes whole as well (WIRE §10)', async () => {
    const pieces = await piecesOf(
      start('m1'),
      delta('one '),
      delta('two'),
      block('m1', 'one two'),
      event('message_stop'),
    );

    expect(pieces).toEqual(['one ', 'two']);
  });

  it('comes block by block where no partial messages come', async () => {
    const tool = message('m1', { type: 'tool_use', id: 't', name: 'Bash', input: {} });

    expect(await piecesOf(block('m1', 'one'), tool, block('m1', 'two'), block('m2', 'three'))).toEqual([
      'one',
      'two',
      'three',
    ]);
  });

  it('is completed by the whole block where pieces of its end are missing (WIRE §8)', async () => {
    expect(await piecesOf(start('m1'), delta('w0 '), block('m1', 'w0 w1 '), start('m2'), delta('x'))).toEqual([
      'w0 ',
      'w1 ',
      'x',
    ]);
  });

  it('leaves out what subagents say in between (WIRE §17)', async () => {
    const foreign = [start('s1', 'toolu_1'), delta('sub', 'toolu_1'), block('s1', 'sub', 'toolu_1')];

    expect(await piecesOf(start('m1'), delta('a'), ...foreign, delta('b'), block('m1', 'ab'))).toEqual(['a', 'b']);
  });

  it('survives lines that hold nothing (R17)', async () => {
    const broken = [
      line({ type: 'assistant' }),
      line({ type: 'stream_event' }),
      line({ type: 'stream_event', event: 7 }),
    ];

    expect(await piecesOf(...broken, line({ type: 'user' }), block('m1', 'a'))).toEqual(['a']);
  });
});

async function piecesOf(...messages: CliMessage[]): Promise<string[]> {
  async function* all() {
    yield* messages;
  }
  const pieces: string[] = [];
  for await (const piece of textPieces(all())) pieces.push(piece);
  return pieces;
}

function start(id: string, parent: string | null = null): CliMessage {
  return line({ type: 'stream_event', event: { type: 'message_start', message: { id } }, parent_tool_use_id: parent });
}

function delta(text: string, parent: string | null = null): CliMessage {
  const event = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } };
  return line({ type: 'stream_event', event, parent_tool_use_id: parent });
}

function event(type: string): CliMessage {
  return line({ type: 'stream_event', event: { type }, parent_tool_use_id: null });
}

function block(id: string, text: string, parent: string | null = null): CliMessage {
  return message(id, { type: 'text', text }, parent);
}

function message(id: string, content: Json, parent: string | null = null): CliMessage {
  return line({ type: 'assistant', message: { id, content: [content] }, parent_tool_use_id: parent });
}

function line(value: Json): CliMessage {
  return new CliMessage(Buffer.from(JSON.stringify(value)), String(value['type']), undefined);
}
