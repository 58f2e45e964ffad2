import { describe, expect, it } from 'vitest';
import { CliMessage } from '../../src/wire/cli-message.ts';

describe('a message of the CLI', () => {
  it('keeps its bytes and shows its content', () => {
    const raw = Buffer.from('{"type":"assistant","text":"漢"}');
    const message = new CliMessage(raw, 'assistant', undefined);
    expect(message.raw).toBe(raw);
    expect(message.text).toBe('{"type":"assistant","text":"漢"}');
    expect(message.value).toEqual({ type: 'assistant', text: '漢' });
  });

  it('is parsed once and validated once', () => {
    const message = messageOf({ type: 'keep_alive' });
    expect(message.value).toBe(message.value);
    expect(message.view).toBe(message.view);
  });

  it('is not parsed at all when it was parsed before', () => {
    const value = { type: 'result' };
    expect(new CliMessage(Buffer.from('corrupt'), 'result', undefined, value).value).toBe(value);
  });

  it.each(['{"type":"assistant",}', '[]', 'null', ''])(
    'has no value when it reads %j, and throws nowhere (P6)',
    (text) => {
      const message = new CliMessage(Buffer.from(text), 'assistant', undefined);
      expect(message.value).toBeUndefined();
      expect(message.view).toEqual({ recognized: false, value: undefined, reason: 'unexpected-shape' });
    },
  );

  it('hands out the value of a message that no schema describes (R15, R17)', () => {
    const value = { type: 'zzz_new', x: 1 };
    expect(messageOf(value).view).toEqual({ recognized: false, value, reason: 'unknown-type' });
  });
});

describe('a message of another dialect', () => {
  it('keeps the bytes that the peer wrote, and is read in the spelling of stream-json (P6)', () => {
    const raw = Buffer.from('{"type":"result","subtype":"budget_exceeded"}');
    const value = { type: 'result', subtype: 'error_max_budget_usd', is_error: true };
    const message = CliMessage.translated(raw, value);

    expect(message.raw).toBe(raw);
    expect(message.isTranslated).toBe(true);
    expect(message.subtype).toBe('error_max_budget_usd');
    expect(message.value).toEqual(value);
    expect(JSON.parse(message.text)).toEqual(value);
  });
});

function messageOf(value: { type: string }): CliMessage {
  return new CliMessage(Buffer.from(JSON.stringify(value)), value.type, undefined);
}
