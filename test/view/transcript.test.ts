import { describe, expect, it } from 'vitest';
import { applyToTranscript } from '../../src/view/apply-to-transcript.ts';
import { EMPTY_TRANSCRIPT, type Transcript } from '../../src/view/transcript.ts';
import type { ViewEvent } from '../../src/view/view-event.ts';

const about = { parent_tool_use_id: null, session_id: 's' };

describe('the transcript of a session (P7)', () => {
  it('shows a text while it is written, and in its place the whole when it is there', () => {
    const streaming = read([
      piece({ type: 'message_start', message: { id: 'm1' } }),
      piece({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
      piece({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hel' } }),
    ]);
    const whole = read([said('m1', [{ type: 'text', text: 'Hello' }])], streaming);

    expect(streaming.items).toMatchObject([{ kind: 'text', text: 'Hel', isStreaming: true }]);
    expect(whole.items).toMatchObject([{ kind: 'text', text: 'Hello', isStreaming: false }]);
    expect(whole.items[0]?.id).toBe(streaming.items[0]?.id);
  });

  it('brings a call of a tool, the question about it and its result together in one card', () => {
    const calls = [said('m1', [{ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls' } }])];
    const asked = read([...calls, { type: 'permission.requested', kind: 'tool', requestId: 'q', toolUseId: 't1' }]);
    const denied = read([{ type: 'permission.settled', requestId: 'q', outcome: 'denied', by: 'ann' }], asked);
    const result = { type: 'tool_result', tool_use_id: 't1', content: 'No', is_error: true };
    const over = read([line('user', { message: { content: [result] } })], denied);

    expect(asked.items).toMatchObject([{ kind: 'tool', status: 'asking', permission: { id: 'q' } }]);
    expect(over.items).toMatchObject([
      { name: 'Bash', status: 'denied', permission: { outcome: 'denied', by: 'ann' }, result: { text: 'No' } },
    ]);
  });

  it('says what is never answered any more, and shows what it does not know as it is (P6)', () => {
    const call = said('m1', [{ type: 'tool_use', id: 't1', name: 'Bash', input: {} }]);
    const over = read([call, line('result', { subtype: 'success', is_error: false }), line('song', { tune: 'x' })]);

    expect(over.items).toMatchObject([
      { kind: 'tool', status: 'abandoned' },
      { kind: 'result', isError: false },
      { kind: 'unknown', messageType: 'song', line: expect.stringContaining('"tune":"x"') },
    ]);
  });

  it('is bounded, and tells how much it left out (P9)', () => {
    const many = read(Array.from({ length: 2_100 }, (_, index) => said(`m${index}`, [{ type: 'text', text: 'x' }])));

    expect([many.items.length, many.dropped]).toEqual([2_000, 100]);
  });
});

function piece(event: object): object {
  return line('stream_event', { event });
}

function said(id: string, content: readonly object[]): object {
  return line('assistant', { message: { id, content } });
}

function line(kind: string, fields: object): object {
  return { type: 'message', kind, line: JSON.stringify({ type: kind, ...about, ...fields }) };
}

function read(events: readonly object[], from: Transcript = EMPTY_TRANSCRIPT): Transcript {
  return events.reduce<Transcript>(
    // The fields that a fold does not look at are left out.
    (sum, event) => applyToTranscript(sum, { epoch: 1, at: 1, ...event, seq: sum.seq + 1 } as ViewEvent),
    from,
  );
}
