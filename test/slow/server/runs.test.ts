import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { connect } from '../../../src/client/index.ts';
import { createServer } from '../../../src/server/server.ts';
import { deltaOf } from '../../server/runs.ts';
import { memoryStage } from '../../session/memory-cli.ts';

const TOKEN = 'ada-token-that-nobody-can-guess-0123456789ab';
/** So many chunks of so many lines; the length of a frame's header changes with some of the texts. */
const CHUNKS = 12;
const LINES = 16;

type Json = Readonly<Record<string, unknown>>;

describe('pieces of an answer that come many at once', () => {
  it('reach every client of a stream and of a WebSocket byte for byte, once, with their numbers in order (P7)', async () => {
    const { stage, url } = await served();
    const sockets = await Promise.all([1, 2, 3].map(() => follow(url)));
    const streams = [1, 2, 3].map(() => {
      const [seqs, lines]: [number[], string[]] = [[], []];
      const session = connect({ url, token: TOKEN }).session('review', { replay: 'all' });
      const stop = session.onEvent((event) => {
        if ('epoch' in event) seqs.push(event.seq);
        if (event.type === 'message') lines.push(event.line);
      });
      onTestFinished(stop);
      return { session, seqs, lines };
    });
    await Promise.all(streams.map(({ session }) => expect.poll(() => session.view.get()).toBeDefined()));

    const texts = Array.from(
      { length: CHUNKS * LINES },
      (_, index) => `${index} é漢🦊 ${'x'.repeat((index % 5) * 20_000)}`,
    );
    const said = texts.map((text) => String(deltaOf(text)));
    for (let chunk = 0; chunk < CHUNKS; chunk += 1) {
      stage.cli().peer.output(
        said
          .slice(chunk * LINES, (chunk + 1) * LINES)
          .map((line) => `${line}\n`)
          .join(''),
      );
      await new Promise((resolve) => setImmediate(resolve));
    }
    const last = `{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"the end"}]}}`;
    stage.cli().peer.output(`${last}\n`);

    for (const { session, seqs, lines } of streams) {
      await expect.poll(() => lines.at(-1), { timeout: 60_000 }).toBe(last);
      expect(lines.slice(0, -1)).toEqual(said);
      expect(seqs).toEqual(seqs.map((_, index) => index + (seqs[0] ?? 0)));
      expect(session.view.get()?.seq).toBe(seqs.at(-1));
    }
    for (const { messages } of sockets) {
      await expect.poll(() => messages.at(-1)?.['line'], { timeout: 60_000 }).toEqual(JSON.parse(last));
      expect(messages.map(({ line }) => line)).toEqual([...said, last].map((line) => JSON.parse(line)));
      const [first] = messages;
      expect(messages.map(({ seq }) => seq)).toEqual(messages.map((_, index) => Number(first?.['seq']) + index));
    }
  });
});

async function served() {
  const stage = await memoryStage();
  const tokens = [{ name: 'ada', token: TOKEN, scopes: ['read'] as const }];
  const server = await createServer({ supervisor: stage.supervisor, tokens, dashboard: false });
  onTestFinished(() => server.close());
  return { stage, url: server.url };
}

/** A front end that wants the lines of the CLI and nothing else. */
async function follow(url: string) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/ws`, { headers: { authorization: `Bearer ${TOKEN}` } });
  onTestFinished(() => socket.terminate());
  const messages: Json[] = [];
  const attached = new Promise<void>((resolve, reject) => {
    socket.on('error', reject);
    socket.on('message', (data) => {
      const frame: Json & { readonly params?: Json } = JSON.parse(String(data));
      if (frame['id'] === 2) resolve();
      if (frame['method'] === 'cli_message' && frame.params !== undefined) messages.push(frame.params);
    });
  });
  await new Promise((resolve) => socket.on('open', resolve));
  const capabilities = { streaming: false, permissions: false, progress: false, messages: true };
  const calls = [
    { method: 'initialize', params: { protocol_version: '1.0', capabilities } },
    { method: 'session_attach', params: { session_id: 'review' } },
  ];
  for (const [index, call] of calls.entries()) socket.send(JSON.stringify({ jsonrpc: '2.0', id: index + 1, ...call }));
  await attached;
  return { messages };
}
