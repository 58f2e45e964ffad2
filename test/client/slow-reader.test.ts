import { describe, expect, it } from 'vitest';
import { connect, type RemoteEvent } from '../../src/client/index.ts';

const LINE = JSON.stringify({ type: 'assistant', text: 'x'.repeat(1_000) });

describe('a reader of a session of a server that is slow', () => {
  it('holds the stream back instead of filling memory, and misses nothing (P6, P9)', async () => {
    const server = endlessServer();
    const events = server.session.events();
    const first = await events.next();
    await server.rest();
    const whileItWaits = server.sent();
    expect(whileItWaits).toBeLessThan(2_000);

    const seqs = [seqOf(first.value)];
    while (seqs.length < 5_000) seqs.push(seqOf((await events.next()).value));
    expect(seqs).toEqual(Array.from({ length: 5_000 }, (_, index) => index + 1));
    expect(server.sent()).toBeGreaterThan(whileItWaits);
    await events.return(undefined);
    expect(server.isLeft()).toBe(true);
  });

  it('does not take the silence that it makes itself for the loss of the server (P5)', async () => {
    const server = endlessServer({ silenceMs: 40 });
    const events = server.session.events();
    await events.next();
    await server.rest();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(server.connections()).toBe(1);
    expect(server.isLeft()).toBe(false);
    await events.return(undefined);
  });

  it('keeps no other reader of the same session waiting once it has left (P10)', async () => {
    const server = endlessServer();
    const slow = server.session.events();
    const other = server.session.events();
    const readsOther = takeOf(other, 3_000);
    await slow.next();
    await server.rest();
    await slow.return(undefined);
    expect(await readsOther).toHaveLength(3_000);
    await other.return(undefined);
  });

  it('keeps nobody waiting, and nothing in memory, once its signal has fired, though it never asks again (P5, P9, P10)', async () => {
    const server = endlessServer();
    const leaving = new AbortController();
    const slow = server.session.events({ signal: leaving.signal });
    const other = server.session.events();
    const readsOther = takeOf(other, 3_000);
    await slow.next();
    await server.rest();
    leaving.abort();
    expect(await readsOther).toHaveLength(3_000);
    expect((await slow.next()).done).toBe(true);
    await other.return(undefined);
    expect(server.isLeft()).toBe(true);
  });
});

async function takeOf(events: AsyncGenerator<RemoteEvent>, count: number): Promise<RemoteEvent[]> {
  const taken: RemoteEvent[] = [];
  for await (const event of events) if (taken.push(event) === count) break;
  return taken;
}

function seqOf(event: RemoteEvent): number {
  return 'seq' in event ? event.seq : 0;
}

/** Sends as many messages as are read. */
function endlessServer({ silenceMs }: { silenceMs?: number } = {}) {
  let seq = 0;
  let connections = 0;
  let left = false;
  const encoder = new TextEncoder();
  const answer = async (_url: unknown, init?: RequestInit) => {
    connections += 1;
    init?.signal?.addEventListener('abort', () => {
      left = true;
    });
    return new Response(
      new ReadableStream<Uint8Array>(
        {
          pull(controller) {
            if (left) return controller.error(new TypeError('terminated'));
            // More than anybody here reads: whoever takes all of it in is seen, not waited for.
            if (seq >= 20_000) return;
            seq += 1;
            const head = `{"type":"message","seq":${seq},"epoch":1,"at":0,"kind":"assistant","line":${LINE}}`;
            controller.enqueue(encoder.encode(`event: message\nid: 1:${seq}\ndata: ${head}\n\n`));
          },
        },
        { highWaterMark: 1 },
      ),
    );
  };
  const client = connect({
    url: 'http://127.0.0.1:9',
    fetch: answer,
    ...(silenceMs === undefined ? {} : { silenceMs }),
  });
  return {
    session: client.session('s', { replay: 'all' }),
    sent: () => seq,
    connections: () => connections,
    isLeft: () => left,
    /** Resolves when nothing has been read for a while. */
    rest: async () => {
      for (let known = -1; known !== seq; ) {
        known = seq;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
  };
}
