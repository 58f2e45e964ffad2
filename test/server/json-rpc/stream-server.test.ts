import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { serveFrontEnd } from '../../../src/server/stream-server.ts';
import { type MemoryOptions, memoryStage, until } from '../../session/memory-cli.ts';
import type { Json } from './front-end.ts';

const HELLO = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocol_version: '1.0', session_id: 'review' },
};
const LIST = { jsonrpc: '2.0', id: 'list', method: 'session_list' };

describe('a front end over streams (DIALECTS §3)', () => {
  it('is understood however its bytes are cut, and blank lines mean nothing', async () => {
    const { input, told } = await streamStage();
    const bytes = Buffer.from(`${JSON.stringify(HELLO)}\r\n\n  \n${JSON.stringify({ ...LIST, id: 'ä€😀' })}\n`);
    for (const byte of bytes) input.write(Buffer.of(byte));
    await until(() => told().length === 2);
    expect(told().map(({ id }) => id)).toEqual([0, 'ä€😀']);
  });

  it('hears -32700 for what is no text and no JSON, and is served on (P6)', async () => {
    const { input, told, text } = await streamStage();
    input.write(`${JSON.stringify(HELLO)}\n`);
    input.write(
      Buffer.concat([Buffer.from('{"jsonrpc":"2.0","method":"x","id":"'), Buffer.of(0xff), Buffer.from('"}\n')]),
    );
    input.write('garbage\n\u0000\n');
    input.write(`${JSON.stringify(LIST)}\n`);
    await until(() => told().some(({ id }) => id === 'list'));
    expect(told().filter(({ id }) => id === null)).toMatchObject(Array(3).fill({ error: { code: -32_700 } }));
    expect(text().endsWith('\n')).toBe(true);
  });

  it('is cut for a line that never ends, however small its pieces (P9)', async () => {
    const { input, server } = await streamStage({ limits: { maxBodyBytes: 1_000 } });
    input.write(`${JSON.stringify(HELLO)}\n`);
    for (let piece = 0; piece < 101; piece += 1) input.write('x'.repeat(10));
    expect(await server.ended).toBe('frame-too-large');
  });

  it('has its answers when it says nothing more, with the last line unfinished, and then is over', async () => {
    const { input, told, server, cli } = await streamStage();
    input.write(`${JSON.stringify(HELLO)}\n`);
    input.end(JSON.stringify({ jsonrpc: '2.0', id: 'm', method: 'user_message', params: { content: 'work' } }));
    await until(() => cli().prompts().length === 1);
    cli().openTurn();
    cli().endTurn();
    expect(await server.ended).toBe('input-ended');
    expect(told().at(-1)).toMatchObject({ id: 'm', result: { status: 'completed' } });
  });

  it('is not waited for longer than `drainMs` once it says nothing more (P5)', async () => {
    const { input, told, server, cli, clock } = await streamStage({ drainMs: 5_000 });
    input.write(`${JSON.stringify(HELLO)}\n`);
    input.end(JSON.stringify({ jsonrpc: '2.0', id: 'm', method: 'user_message', params: { content: 'work' } }));
    await until(() => cli().prompts().length === 1);
    clock.increment(4_999);
    let isOver = false;
    void server.ended.then(() => {
      isOver = true;
    });
    await until(() => told().length > 0);
    expect(isOver).toBe(false);
    clock.increment(1);
    expect(await server.ended).toBe('input-ended');
  });

  it('is cut when it reads nothing of what it is sent (P9)', async () => {
    const stuck = new Writable({ write: () => {} });
    const { input, server } = await streamStage({ limits: { maxSubscriberBufferBytes: 2_000 } }, stuck);
    input.write(`${JSON.stringify(HELLO)}\n`);
    for (let id = 0; id < 60; id += 1) input.write(`${JSON.stringify({ ...LIST, id })}\n`);
    expect(await server.ended).toBe('too-slow');
  });

  it('is over when its output is gone', async () => {
    const { input, output, server } = await streamStage();
    input.write(`${JSON.stringify(HELLO)}\n`);
    output.destroy(new Error('EPIPE'));
    expect(await server.ended).toBeUndefined();
  });
});

async function streamStage(
  options: Omit<Partial<Parameters<typeof serveFrontEnd>[0]>, 'supervisor'> = {},
  given?: Writable,
  memory: MemoryOptions = {},
) {
  const stage = await memoryStage(memory);
  const [input, output] = [new PassThrough(), given ?? new PassThrough()];
  let text = '';
  output.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  const { supervisor, clock } = stage;
  const server = serveFrontEnd({ supervisor, clock, input, output, ...options });
  const told = (): Json[] =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  return { ...stage, input, output, server, told, text: () => text };
}
