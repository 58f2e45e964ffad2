import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CliMessage } from '../../src/wire/cli-message.ts';
import { type AssembledMessage, MessageAssembler } from '../../src/wire/message-assembler.ts';
import { CORPUS, isThere, readRecording, SURVEY, scenariosOf } from './recordings.ts';

type Json = Record<string, unknown>;

describe('a message put together from its pieces', () => {
  it('grows with each piece and ends as the model ended it (WIRE §10)', () => {
    const assembler = new MessageAssembler();
    const texts = streamOf('m1', [{ type: 'text', text: 'one two three' }]).map(
      (message) => assembler.push(message)?.text,
    );

    expect(texts.filter((text, index) => text !== texts[index - 1])).toEqual(['', 'one', 'one two', 'one two three']);
    expect(assembler.newest()).toMatchObject({ id: 'm1', model: 'opus', state: 'complete', stopReason: 'end_turn' });
  });

  it('joins the blocks of one answer without any partial message, too (WIRE §10)', () => {
    const blocks = [
      { type: 'thinking', thinking: 'hm', signature: 's' },
      { type: 'text', text: 'a' },
      { type: 'tool_use', id: 't', name: 'Bash', input: { command: 'ls' } },
    ];
    const assembler = pushAll(blocks.map((block) => assistant('m1', block)));

    expect(assembler.newest()?.blocks).toEqual(blocks);
    expect(assembler.push(assistant('m2', { type: 'text', text: 'b' }))?.blocks).toEqual([{ type: 'text', text: 'b' }]);
  });

  it('counts a block once although the CLI sends it in pieces and as a whole (WIRE §10)', () => {
    const stream = streamOf('m1', [{ type: 'text', text: 'one two' }], { withCopies: true });

    expect(pushAll(stream).newest()?.text).toBe('one two');
  });

  it('reads the input of a tool when its pieces are complete, and leaves a broken one as it was (R17)', () => {
    const call = { type: 'tool_use', id: 't', name: 'Bash', input: { command: 'echo "hi"' } };
    expect(pushAll(streamOf('m1', [call])).newest()?.blocks).toEqual([call]);

    const broken = pushAll([
      start('m1'),
      event({ type: 'content_block_start', index: 0, content_block: { ...call, input: {} } }),
      event({ type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{"com' } }),
      event({ type: 'content_block_stop', index: 0 }),
    ]);
    expect(broken.newest()?.blocks).toEqual([{ ...call, input: {} }]);
  });

  it('takes pieces whose beginning was missed, and lets the whole block correct them', () => {
    const assembler = pushAll([
      event({ type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'ree' } }),
    ]);
    expect(assembler.newest()).toMatchObject({ id: undefined, text: 'ree', state: 'running' });

    assembler.push(assistant('m1', { type: 'text', text: 'three' }));
    expect(assembler.newest()).toMatchObject({ id: 'm1', text: 'three' });
  });

  it('keeps what an interrupt left of a text, and says so (WIRE §8)', () => {
    const cut = { ...assistant('m1', { type: 'text', text: 'one two' }).value, aborted: true };
    const assembler = pushAll([
      start('m1'),
      event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
      event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'one' } }),
      messageOf(cut),
      event({ type: 'content_block_stop', index: 0 }),
      event({ type: 'message_delta', delta: { stop_reason: null } }),
      event({ type: 'message_stop' }),
    ]);

    expect(assembler.newest()).toMatchObject({ state: 'aborted', text: 'one two' });
  });

  it('calls a message void that the API broke off, and goes on with the next one (WIRE §13)', () => {
    const broken = streamOf('m1', [{ type: 'text', text: 'one two' }]).filter(
      (message) => !message.text.includes('message_delta'),
    );
    const assembler = pushAll(broken);
    expect(assembler.newest()?.state).toBe('abandoned');

    assembler.push(assistant('m2', { type: 'text', text: 'one two three' }));
    expect(assembler.newest()).toMatchObject({ id: 'm2', text: 'one two three' });
  });

  it.each([
    [{ subtype: 'success', is_error: false, terminal_reason: 'completed' }, 'complete'],
    [{ subtype: 'error_during_execution', is_error: true, terminal_reason: 'aborted_streaming' }, 'aborted'],
    [{ subtype: 'error_during_execution', is_error: false }, 'aborted'],
  ])('ends with the result of its turn where nothing else tells its end: %j (WIRE §23)', (fields, state) => {
    const assembler = pushAll([assistant('s1', { type: 'text', text: 'sub' }, 'toolu_1')]);
    assembler.push(assistant('m1', { type: 'text', text: 'one' }));
    expect(assembler.newest()?.state).toBe('running');

    expect(assembler.push({ type: 'result', ...fields })).toMatchObject({ id: 'm1', text: 'one', state });
    expect(assembler.newest()?.state).toBe(state);
    // It is told once, and the subagent may go on behind it (WIRE §0.6).
    expect(assembler.push({ type: 'result', ...fields })).toBeUndefined();
    expect(assembler.newest('toolu_1')?.state).toBe('running');
  });

  it('is void when the result comes and the CLI has sent none of its blocks (WIRE §13)', () => {
    const delta = { type: 'text_delta', text: 'one' };
    const assembler = pushAll([start('m1'), event({ type: 'content_block_delta', index: 0, delta })]);

    expect(assembler.push({ type: 'result', subtype: 'success', is_error: true })?.state).toBe('abandoned');
  });

  it('keeps subagents that speak in between apart (WIRE §17)', () => {
    const streams = [
      streamOf('m1', [{ type: 'text', text: 'main talks on' }]),
      streamOf('m2', [{ type: 'text', text: 'sub answers it' }], { parent: 'toolu_1' }),
    ];
    const assembler = pushAll(interleaved(streams, [1, 0, 0, 1, 1, 0, 1, 0, 0, 1]));

    expect(assembler.newest()?.text).toBe('main talks on');
    expect(assembler.newest('toolu_1')).toMatchObject({ text: 'sub answers it', parentToolUseId: 'toolu_1' });
  });

  it('forgets the speaker that was silent longest beyond 256 of them (P9)', () => {
    const assembler = new MessageAssembler();
    for (let index = 0; index < 300; index += 1) {
      assembler.push(assistant(`m${index}`, { type: 'text', text: 'x' }, `toolu_${index}`));
    }

    expect(assembler.newest('toolu_0')).toBeUndefined();
    expect(assembler.newest('toolu_299')?.text).toBe('x');
  });

  it('gives what it has by value: nobody changes it from outside', () => {
    const assembler = pushAll(streamOf('m1', [{ type: 'text', text: 'a' }]));
    Object.assign(assembler.newest()?.blocks[0] ?? {}, { text: 'changed' });

    expect(assembler.newest()?.text).toBe('a');
  });

  it('says nothing about messages that are no part of an answer', () => {
    const assembler = new MessageAssembler();
    const others = [{ type: 'user' }, { type: 'result' }, { type: 'system', subtype: 'init' }, { type: 'zzz' }];

    expect(others.map((value) => assembler.push(value))).toEqual([undefined, undefined, undefined, undefined]);
  });
});

describe('any answer', () => {
  const word = fc.stringMatching(/^[a-zé😀 \n"\\]{0,12}$/u);
  const block = fc.oneof(
    word.map((text) => ({ type: 'text', text })),
    fc.record({ thinking: word, signature: word }).map((it) => ({ type: 'thinking', ...it })),
    fc.dictionary(word, word).map((input) => ({ type: 'tool_use', id: 't', name: 'Bash', input })),
  );

  it('ends as the blocks that the CLI sends as a whole, with and without them, and among subagents', () => {
    const blocks = fc.array(block, { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(blocks, blocks, fc.boolean(), fc.array(fc.nat(1)), (main, sub, withCopies, order) => {
        const streams = [streamOf('m1', main, { withCopies }), streamOf('m2', sub, { withCopies, parent: 'toolu_1' })];
        const assembler = pushAll(interleaved(streams, order));

        expect(assembler.newest()?.blocks).toEqual(main);
        expect(assembler.newest('toolu_1')?.blocks).toEqual(sub);
      }),
    );
  });

  it('is never a reason to throw, whatever the pieces hold (R17)', () => {
    const type = fc.constantFrom('message_start', 'content_block_start', 'content_block_delta', 'message_delta');
    const garbage = fc.record({ type, index: fc.jsonValue(), delta: fc.jsonValue(), content_block: fc.jsonValue() });
    const message = fc.record({ content: fc.jsonValue(), id: fc.jsonValue() });
    fc.assert(
      fc.property(fc.array(garbage), message, fc.jsonValue(), (events, inner, parent) => {
        const assembler = pushAll(events.map((it) => event(it)));
        assembler.push({ type: 'assistant', message: inner, parent_tool_use_id: parent });
        expect(typeof assembler.newest()?.text).not.toBe('number');
      }),
    );
  });
});

describe('the recorded streams', () => {
  // The complete survey where it is at hand, else the part that is kept here.
  const files = [...scenariosOf(isThere(SURVEY) ? SURVEY : CORPUS).values()].flat();
  const streams = files.map((file) => readRecording(file).filter(({ direction }) => direction === '<'));
  const withEvents = streams.filter((lines) => lines.some(({ message }) => message['type'] === 'stream_event'));

  it('end as the assistant messages that came with them, in every version that has both (WIRE §10)', () => {
    expect(withEvents.length).toBeGreaterThan(0);
    for (const lines of withEvents) {
      const assembler = new MessageAssembler();
      const seen = new Map<string, AssembledMessage>();
      for (const { message } of lines) {
        const whole = assembler.push(message as { type: string });
        if (whole?.id !== undefined) seen.set(whole.id, whole);
      }
      for (const [id, blocks] of blocksByMessage(lines.map(({ message }) => message))) {
        expect(seen.get(id)?.blocks, id).toEqual(blocks);
      }
    }
  });
});

function blocksByMessage(messages: readonly Json[]): Map<string, unknown[]> {
  const blocks = new Map<string, unknown[]>();
  for (const { type, message } of messages) {
    const { id, content } = (message ?? {}) as { id?: unknown; content?: unknown };
    if (type !== 'assistant' || typeof id !== 'string' || !Array.isArray(content)) continue;
    blocks.set(id, [...(blocks.get(id) ?? []), ...content]);
  }
  return blocks;
}

function pushAll(messages: readonly CliMessage[]): MessageAssembler {
  const assembler = new MessageAssembler();
  for (const message of messages) assembler.push(message);
  return assembler;
}

/** The events of one message; `withCopies` puts each whole block before its end, as the CLI does. */
function streamOf(
  id: string,
  blocks: readonly Json[],
  { withCopies = false, parent }: { withCopies?: boolean; parent?: string } = {},
): CliMessage[] {
  const pieces = blocks.flatMap((block, index) => [
    event({ type: 'content_block_start', index, content_block: emptied(block) }, parent),
    ...deltasOf(block).map((delta) => event({ type: 'content_block_delta', index, delta }, parent)),
    ...(withCopies ? [assistant(id, block, parent)] : []),
    event({ type: 'content_block_stop', index }, parent),
  ]);
  return [
    start(id, parent),
    ...pieces,
    event({ type: 'message_delta', delta: { stop_reason: 'end_turn' } }, parent),
    event({ type: 'message_stop' }, parent),
  ];
}

function emptied(block: Json): Json {
  if (block['type'] === 'text') return { ...block, text: '' };
  return block['type'] === 'thinking' ? { ...block, thinking: '', signature: '' } : { ...block, input: {} };
}

function deltasOf({ type, text, thinking, signature, input }: Json): Json[] {
  if (type === 'text') return piecesOf(String(text)).map((piece) => ({ type: 'text_delta', text: piece }));
  if (type === 'tool_use') {
    return piecesOf(JSON.stringify(input)).map((piece) => ({ type: 'input_json_delta', partial_json: piece }));
  }
  const thoughts = piecesOf(String(thinking)).map((piece) => ({ type: 'thinking_delta', thinking: piece }));
  return [...thoughts, { type: 'signature_delta', signature }];
}

function piecesOf(text: string): string[] {
  return text.match(/\s*\S+|\s+$/gu) ?? [];
}

/** Takes from the streams in the given order, then what is left of each. */
function interleaved(streams: readonly CliMessage[][], order: readonly number[]): CliMessage[] {
  const queues = streams.map((stream) => [...stream]);
  return [...order, 0, 1].flatMap((index, at) => queues[index]?.splice(0, at < order.length ? 1 : 10_000) ?? []);
}

function start(id: string, parent?: string): CliMessage {
  return event({ type: 'message_start', message: { id, model: 'opus', content: [] } }, parent);
}

function event(value: Json, parent: string | null = null): CliMessage {
  return messageOf({ type: 'stream_event', event: value, parent_tool_use_id: parent });
}

function assistant(id: string, block: Json, parent: string | null = null): CliMessage {
  const message = { id, model: 'opus', content: [block] };
  return messageOf({ type: 'assistant', message, parent_tool_use_id: parent });
}

function messageOf(value: Json): CliMessage {
  return new CliMessage(Buffer.from(JSON.stringify(value)), String(value['type']), undefined);
}
