import { describe, expect, it } from 'vitest';
import { LineReader } from '../../src/session/line-reader.ts';
import { streamJson } from '../../src/wire/stream-json/codec.ts';

const ASSISTANT = '{"type":"assistant","text":"漢字 😀"}';
const REQUEST = '{"type":"control_request","request_id":"r1","request":{"subtype":"can_use_tool"}}';

describe('reading the output of the CLI', () => {
  it('tells messages and control traffic apart, in their order (WIRE §1)', () => {
    const { reader, heard } = openReader();
    reader.read(
      Buffer.from(
        [
          ASSISTANT,
          REQUEST,
          '{"type":"control_cancel_request","request_id":"r1"}',
          '{"type":"keep_alive"}',
          '{"type":"control_response","response":{"subtype":"success","request_id":"troupe-1","response":{}}}',
          '{"type":"zzz_new"}',
          '',
        ].join('\n'),
      ),
    );
    expect(heard).toEqual([
      'message assistant',
      'control-request r1',
      'control-cancel r1',
      'control-response troupe-1',
      'message zzz_new',
      'unknown-message zzz_new',
    ]);
  });

  it('tells kinds of messages that nobody knows yet, and counts them when they are many (P6, R15)', () => {
    const { reader, heard } = openReader();
    const kinds = [
      { type: 'system', subtype: 'zzz' },
      { type: 'result', subtype: 'zzz' },
      { type: 'system', subtype: 'init' },
    ];
    reader.read(Buffer.from(kinds.map((kind) => `${JSON.stringify(kind)}\n`).join('')));
    expect(heard.filter((line) => line.startsWith('unknown'))).toEqual([
      'unknown-message system/zzz',
      'unknown-message result/zzz',
    ]);

    reader.read(Buffer.from('{"type":"zzz"}\n'.repeat(298)));
    expect(heard.filter((line) => line.startsWith('unknown'))).toHaveLength(102);
    expect(heard.filter((line) => line.startsWith('message'))).toHaveLength(301);
  });

  it('reads the same, wherever the pipe cuts it (R09)', () => {
    const bytes = Buffer.from(`${ASSISTANT}\n${REQUEST}\r\n`);
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const { reader, heard, texts } = openReader();
      reader.read(bytes.subarray(0, cut));
      reader.read(bytes.subarray(cut));
      expect(heard).toEqual(['message assistant', 'control-request r1']);
      expect(texts).toEqual([ASSISTANT]);
    }
  });

  it('reads again what the CLI delivered again inside an answer (R05)', () => {
    const { reader, heard } = openReader();
    reader.readAgain(Buffer.from(REQUEST));
    expect(heard).toEqual(['control-request r1']);
  });
});

describe('what is no message', () => {
  it('becomes one diagnostic each, with a bounded sample, and what follows is heard (P6, R11)', () => {
    const { reader, heard } = openReader();
    const noise = `[SandboxDebug] ${'x'.repeat(10_000)}`;
    reader.read(Buffer.from(`${noise}\n{"type":"assistant",\n{"no":"type"}\n${ASSISTANT}\n`));
    expect(heard).toEqual([
      expect.stringMatching(/^foreign 10015 bytes: \[SandboxDebug\] x+$/),
      expect.stringMatching(/^corrupt 20 bytes: /),
      expect.stringMatching(/^untyped 13 bytes: /),
      'message assistant',
    ]);
    expect(heard[0]?.length).toBeLessThan(600);
  });

  it('is told one by one up to a hundred of a kind, then by the hundred with a count (P6, P9)', () => {
    const { reader, diagnostics } = openReader();
    reader.read(Buffer.from('noise\n'.repeat(350)));
    reader.read(Buffer.from('{"no":"type"}\n'));

    const foreign = diagnostics.filter(({ reason }) => reason === 'foreign');
    expect(foreign).toHaveLength(102);
    expect(foreign.slice(100).map(({ suppressed }) => suppressed)).toEqual([99, 99]);
    expect(foreign.reduce((sum, { suppressed }) => sum + 1 + suppressed, 0)).toBe(300);
    expect(diagnostics.at(-1)).toMatchObject({ reason: 'untyped', suppressed: 0 });
  });
});

describe('a line over the limit', () => {
  it('is told once, with its size and the limit, and nothing after it is read (R07, P9)', () => {
    const { reader, heard, overflows } = openReader({ maxLineBytes: 100 });
    reader.read(Buffer.from(`${ASSISTANT}\n${'x'.repeat(101)}`));
    reader.read(Buffer.from(`\n${ASSISTANT}\n`));
    reader.read(Buffer.alloc(1_000));
    expect(heard).toEqual(['message assistant']);
    expect(overflows).toMatchObject([
      { code: 'LINE_TOO_LONG', details: { bytes: 101, limit: 100, field: 'limits.maxLineBytes' } },
    ]);
    expect(reader.end()).toBe(false);
  });

  it('is not one that has exactly the limit (R07)', () => {
    const { reader, heard, overflows } = openReader({ maxLineBytes: Buffer.byteLength(ASSISTANT) });
    reader.read(Buffer.from(`${ASSISTANT}\n`));
    expect([heard, overflows]).toEqual([['message assistant'], []]);
  });
});

describe('the end of the output', () => {
  it('still delivers a last line without its newline (R13)', () => {
    const { reader, heard } = openReader();
    reader.read(Buffer.from(`${ASSISTANT}\n{"type":"result"}`));
    expect(reader.end()).toBe(false);
    expect(heard).toEqual(['message assistant', 'message result']);
  });

  it('tells a last line that was cut, and says so (R13)', () => {
    const { reader, heard } = openReader();
    reader.read(Buffer.from('{"type":"result","resu'));
    expect(reader.end()).toBe(true);
    expect(heard).toEqual([expect.stringMatching(/^corrupt /)]);
  });

  it('has nothing to say when everything was whole, or nothing came', () => {
    const { reader, heard } = openReader();
    expect(reader.end()).toBe(false);
    reader.read(Buffer.from(`${ASSISTANT}\n`));
    expect(reader.end()).toBe(false);
    expect(heard).toEqual(['message assistant']);
  });
});

function openReader(options: { maxLineBytes?: number } = {}) {
  const heard: string[] = [];
  const texts: string[] = [];
  const diagnostics: { readonly reason: string; readonly suppressed: number }[] = [];
  const overflows: Error[] = [];
  const reader = new LineReader({
    codec: streamJson,
    maxLineBytes: options.maxLineBytes ?? 1_000_000,
    listener: {
      message: (message) => {
        heard.push(`message ${message.type}`);
        texts.push(message.text);
      },
      run: () => {},
      control: ({ kind, requestId }) => heard.push(`${kind} ${requestId}`),
      diagnostic: (reason, detail, suppressed) => {
        heard.push(`${reason} ${detail}`);
        diagnostics.push({ reason, suppressed });
      },
      overflow: (error) => overflows.push(error),
      mismatch: (error) => heard.push(error.message),
    },
  });
  return { reader, heard, texts, diagnostics, overflows };
}
