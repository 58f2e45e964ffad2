import { describe, expect, it } from 'vitest';
import { createSupervisor } from '../../../src/index.ts';
import { createServer } from '../../../src/server/server.ts';

const TOKEN = 'owner-token-that-nobody-can-guess-0123456789';

describe('a server with open streams (P5)', () => {
  it('shows that it lives, and tells each of them that it goes before it ends them', async () => {
    await using supervisor = createSupervisor({ reap: 'off' });
    await supervisor.start({ id: 'review', autoStart: false });
    const tokens = [{ name: 'owner', token: TOKEN, scopes: ['read'] }] as const;
    const timeouts = { requestMs: 30_000, heartbeatMs: 50, closeMs: 2_000 };
    const server = await createServer({ supervisor, tokens, timeouts, dashboard: false });
    const streams = await Promise.all(
      ['sessions/review/events', 'events'].map((path) => open(`${server.url}/v1/${path}`)),
    );
    for (const { headers, until } of streams) {
      const text = await until(': heartbeat');
      expect(text).toMatch(/^event: snapshot$/m);
      expect(headers.get('content-type')).toMatch(/^text\/event-stream/);
      expect(headers.get('cache-control')).toBe('no-store, no-transform');
      expect(headers.get('content-encoding')).toBeNull();
    }
    const closed = server.close();
    for (const { until, rest } of streams) {
      await until('event: server.closing');
      await rest();
    }
    await closed;
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow();
  });
});

async function open(url: string) {
  const headers = { authorization: `Bearer ${TOKEN}`, 'accept-encoding': 'gzip' };
  const response = await fetch(url, { headers });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  return {
    headers: response.headers,
    async until(part: string): Promise<string> {
      while (!text.includes(part)) {
        const read = await reader?.read();
        if (read?.done !== false) throw new Error(`The stream ended before "${part}": ${text}`);
        text += read.value;
      }
      return text;
    },
    /** Resolves when the stream has ended. */
    async rest(): Promise<void> {
      while ((await reader?.read())?.done === false);
    },
  };
}
