import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SessionEvent, SessionFact } from '../../src/store/session-event.ts';
import { sessionEventOf, storedEventOf } from '../../src/store/stored-session-event.ts';
import { CliMessage } from '../../src/wire/cli-message.ts';

describe('an event that was stored', () => {
  it.each<SessionFact>([
    { type: 'session.started', incarnation: 2, pid: 17 },
    {
      type: 'session.restarting',
      cause: { code: 'CLI_EXITED', message: 'ü😀', ending: 'crash' },
      delayMs: 1_000,
      restarts: 1,
    },
    { type: 'session.settings-changed', setting: 'model', value: { deep: [1, null, 'x'] } },
    { type: 'prompt.ended', promptId: 'p', outcome: 'lost' },
    { type: 'stderr', line: 'a\nline / with "signs"' },
    {
      ...{ type: 'permission.requested', kind: 'tool', requestId: 'r', toolName: 'Bash', input: { command: 'ls' } },
      ...{ toolUseId: 'toolu_1', agentId: undefined },
    },
  ])('comes back as it was: $type', (fact) => {
    const event: SessionEvent = { ...fact, seq: 3, epoch: 2, at: 1_700_000_000_000 };
    const stored = storedEventOf(event);

    expect(stored).toMatchObject({ type: fact.type, seq: 3, epoch: 2, at: 1_700_000_000_000 });
    expect(sessionEventOf(stored)).toEqual(event);
  });

  it('of the CLI keeps the very bytes of the line, and its kind, without being parsed (P7)', () => {
    const line = Buffer.from('{ "subtype" : "init",  "type":"system", "x": 1.0 }');
    const event = messageEvent(line, 'system', 'init');
    const stored = storedEventOf(event);

    expect(stored.type).toBe('message/system/init');
    expect(Buffer.from(stored.data).equals(line)).toBe(true);
    const again = sessionEventOf(stored);
    if (again.type !== 'message') throw new Error('It is no message any more.');
    expect(again.message.raw.equals(line)).toBe(true);
    expect([again.message.type, again.message.subtype]).toEqual(['system', 'init']);
    expect([again.seq, again.epoch, again.at]).toEqual([1, 1, 5]);
  });

  it('keeps whatever a newer CLI calls its messages (P6)', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.option(fc.string(), { nil: undefined }), (type, subtype) => {
        const again = sessionEventOf(storedEventOf(messageEvent(Buffer.from('{}'), type, subtype)));
        expect(again.type === 'message' ? [again.message.type, again.message.subtype] : []).toEqual([type, subtype]);
      }),
    );
  });

  it.each([
    ['was lost in a salvage', 'log.lost', '{}', { reason: 'log-lost' }],
    ['is no JSON', 'prompt.ended', '{"promptId":', { reason: 'log-unreadable', detail: 'prompt.ended' }],
    ['is no object', 'prompt.ended', '[]', { reason: 'log-unreadable', detail: 'prompt.ended' }],
  ])('is a diagnostic in its place when it %s', (_, type, data, expected) => {
    const event = sessionEventOf({ seq: 4, epoch: 1, at: 5, type, data: Buffer.from(data) });
    expect(event).toEqual({ type: 'diagnostic', ...expected, seq: 4, epoch: 1, at: 5 });
  });
});

describe('a line of another dialect', () => {
  it.each([['error_max_turns'], [undefined]])(
    'comes back with what the peer wrote and what it means (P6, P7): %s',
    (subtype) => {
      const raw = Buffer.from('{"jsonrpc":"2.0","method":"turn_complete","params":{}}');
      const value = { type: 'result', ...(subtype === undefined ? {} : { subtype }), text: 'a\nb' };
      const event = { type: 'message', message: CliMessage.translated(raw, value), seq: 1, epoch: 1, at: 5 } as const;

      const again = sessionEventOf(storedEventOf(event));

      expect(again).toMatchObject({
        type: 'message',
        seq: 1,
        message: { type: 'result', subtype, value, isTranslated: true },
      });
      expect(again.type === 'message' && again.message.raw.equals(raw)).toBe(true);
    },
  );
});

function messageEvent(line: Buffer, type: string, subtype?: string): SessionEvent {
  return { type: 'message', message: new CliMessage(line, type, subtype), seq: 1, epoch: 1, at: 5 };
}
