import { request } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { connect, type RemoteEvent } from '../../../src/client/index.ts';
import { serveEvents } from '../../server/sse-stage.ts';
import { memoryStage, sendPrompt, until } from '../../session/memory-cli.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

describe('reading a session over HTTP (P7)', () => {
  it.each([1, 2, 3])(
    'gives five clients that lose their connections every event once, in order (seed %i)',
    async (seed) => {
      const { stage, server } = await served();
      const clients = Array.from({ length: 5 }, (_, index) => {
        const session = connect({ url: server.url, fetch: lossy(seed * 100 + index) }).session('review', {
          replay: 'all',
        });
        const seqs: number[] = [];
        const stop = session.onEvent((event) => {
          if ('epoch' in event) seqs.push(event.seq);
        });
        closing.push(async () => stop());
        return { session, seqs };
      });
      for (let turn = 0; turn < 15; turn += 1) {
        await sendPrompt(stage.session, stage.cli(), `Work ${turn}`);
        stage.cli().openTurn();
        for (let line = 0; line < 20; line += 1)
          stage.cli().say(assistant(`Line ${line} of ${turn}: ${'x'.repeat(line * 20)}`));
        stage.cli().endTurn({ total_cost_usd: turn });
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      const { view } = await liveOf(server);
      for (const { session, seqs } of clients) {
        await expect.poll(() => session.view.get()?.seq).toBe(view.seq);

        expect(session.view.get()).toEqual(JSON.parse(JSON.stringify(view)));
        expect(seqs).toEqual(Array.from({ length: view.seq }, (_, index) => index + 1));
      }
    },
  );

  it('begins with a snapshot, tells where the replay ends, and gives the lines byte for byte', async () => {
    const { stage, server } = await served();
    const line = `{"type":"assistant","message":{"id":"m1", "content":[{"type":"text","text":"\\u00e9 é \u2028"}]} ,"n":1.0}`;
    stage.cli().peer.output(`${line}\n`);
    await until(() => stage.events.some((event) => event.type === 'message'));
    const told: RemoteEvent[] = [];
    for await (const event of connect(server).session('review', { replay: 'all' }).events()) {
      told.push(event);
      if (event.type === 'replay.completed') break;
    }

    expect(told[0]).toMatchObject({ type: 'snapshot', from: 0, reset: true, view: { seq: 0 } });
    expect(told.at(-1)).toMatchObject({ type: 'replay.completed' });
    expect(told.flatMap((event) => (event.type === 'message' ? [event.line] : []))).toEqual([line]);
  });

  it('begins anew for a cursor of another log, and leaves out what a filter does not want', async () => {
    const { stage, server } = await served();
    const unknown = connect(server).session('review', { cursor: '7:999' });
    const [first] = await taken(unknown.events(), 1);
    expect(first).toMatchObject({ type: 'snapshot', reset: true });

    const response = await fetch(`${server.url}/v1/sessions/review/events?types=turn.*&replay=all`);
    const reading = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    await sendPrompt(stage.session, stage.cli());
    stage.cli().openTurn();
    stage.cli().endTurn();
    let text = '';
    while (!text.includes('event: turn.ended')) text += (await reading?.read())?.value ?? '';
    await reading?.cancel();

    const types = [...text.matchAll(/^event: (.*)$/gm)].map(([, type]) => type);
    expect(types).toEqual(['snapshot', 'replay.completed', 'turn.started', 'turn.ended']);
    expect(response.headers.get('cache-control')).toBe('no-store, no-transform');
  });

  it('tells a reader that stands still what it missed, and lets the others have everything (P9, P10)', async () => {
    const { stage, server } = await served({ maxBufferBytes: 256 * 1024 });
    const stalled = await stalledReader(`${server.url}/v1/sessions/review/events`);
    const session = connect(server).session('review');
    const seqs: number[] = [];
    const stop = session.onEvent((event) => 'epoch' in event && seqs.push(event.seq));
    closing.push(async () => stop());
    await expect.poll(() => session.connection.get()).toBe('live');
    const from = session.view.get()?.seq ?? 0;
    for (let round = 0; round < 60; round += 1) {
      for (let line = 0; line < 20; line += 1) stage.cli().say(assistant('y'.repeat(8_000)));
      const { seq } = (await liveOf(server)).view;
      await expect.poll(() => session.view.get()?.seq).toBeGreaterThanOrEqual(seq);
    }
    const { seq } = (await liveOf(server)).view;
    const text = await stalled.readUntil('event: subscriber.lagged');

    expect(seqs).toEqual(Array.from({ length: seq - from }, (_, index) => from + index + 1));
    expect(text).toMatch(
      /event: subscriber\.lagged\ndata: \{"type":"subscriber\.lagged","from":\d+,"to":\d+,"missed":\d+\}/,
    );
  });
});

describe('reading the fleet over HTTP', () => {
  it('tells what is so now, and every change of a session and of its questions', async () => {
    const { stage, server } = await served();
    const fleet = connect(server).fleet();
    const stop = fleet.view.subscribe(() => {});
    closing.push(async () => stop());
    await expect.poll(() => fleet.view.get()?.sessions.map(({ id }) => id)).toEqual(['review']);
    await sendPrompt(stage.session, stage.cli());
    stage.cli().openTurn();
    stage.cli().ask('can_use_tool', { tool_name: 'Bash', input: { command: 'ls' }, tool_use_id: 't1' });
    await expect.poll(() => fleet.view.get()?.sessions[0]?.status).toBe('requires_action');

    const [question] = fleet.view.get()?.permissions ?? [];
    expect(question).toMatchObject({ sessionId: 'review', toolName: 'Bash', input: { command: 'ls' } });
    await stage.session.permissions.answer(question?.id ?? '', { behavior: 'allow' });
    await expect.poll(() => fleet.view.get()?.permissions).toEqual([]);
  });
});

async function served(options: Parameters<typeof serveEvents>[1] = {}) {
  const stage = await memoryStage();
  closing.push(() => stage.supervisor.shutdown());
  const server = await serveEvents(stage.supervisor, options);
  closing.push(server.close);
  return { stage, server };
}

async function liveOf({ fleet }: Awaited<ReturnType<typeof serveEvents>>) {
  const live = fleet.get('review');
  if (live === undefined) throw new Error('The session is not followed.');
  await live.ready;
  await new Promise((resolve) => setTimeout(resolve, 5));
  return live;
}

function assistant(text: string) {
  return { type: 'assistant', message: { id: 'm', role: 'assistant', content: [{ type: 'text', text }] } };
}

async function taken(events: AsyncGenerator<RemoteEvent>, count: number): Promise<RemoteEvent[]> {
  const told: RemoteEvent[] = [];
  for await (const event of events) if (told.push(event) === count) break;
  return told;
}

/** Responses that break off somewhere, by the seed. */
function lossy(seed: number): typeof fetch {
  let state = seed;
  const chance = () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
  return async (...call) => {
    const response = await fetch(...call);
    let left = 500 + Math.floor(chance() * 30_000);
    const cut = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        left -= chunk.length;
        // Also in the middle of a frame.
        controller.enqueue(left < 0 ? chunk.subarray(0, Math.max(0, chunk.length + left)) : chunk);
        if (left < 0) controller.error(new Error('The connection was lost.'));
      },
    });
    return new Response(response.body?.pipeThrough(cut) ?? null, response);
  };
}

/** A reader that takes nothing until it is asked to. */
async function stalledReader(url: string) {
  const response = await new Promise<import('node:http').IncomingMessage>((resolve) => {
    request(url, resolve).end();
  });
  response.pause();
  closing.push(async () => void response.destroy());
  return {
    async readUntil(text: string): Promise<string> {
      let all = '';
      for await (const chunk of response) {
        all = (all + String(chunk)).slice(-400_000);
        if (all.includes(text)) break;
      }
      return all;
    },
  };
}
