import { describe, expect, it } from 'vitest';
import { sendPrompt } from '../../src/cli/fleet/prompt-command.ts';
import { showRemoteHistory, showRemoteLog } from '../../src/cli/fleet/remote-log.ts';
import { connect } from '../../src/client/troupe-client.ts';

describe('a server that is not there, or goes away', () => {
  it.each([
    ['logs', showRemoteLog],
    ['history', (client: ReturnType<typeof connect>, id: string) => showRemoteHistory(client, id, {})],
  ] as const)('is told by %s, which shows what is there and waits for no other (P5)', async (_name, show) => {
    const client = connect({ url: 'http://127.0.0.1:9', token: 't', fetch: onceThere() });
    await expect(show(client, 'review-1', {})).rejects.toMatchObject({ code: 'SERVER_UNREACHABLE' });
  });

  it('is told by prompt before anything is sent again and again (P5)', async () => {
    const refusing = async () => new Response(JSON.stringify({ code: 'SESSION_NOT_FOUND' }), { status: 404 });
    const sent: string[] = [];
    const client = connect({
      url: 'http://127.0.0.1:9',
      fetch: async (url, init) => {
        sent.push(`${init?.method} ${new URL(String(url)).pathname}`);
        return refusing();
      },
    });
    await expect(sendPrompt(client, { session: 'review-1', text: 'Hello', flags: {} })).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
    });
    expect(sent).toEqual(['GET /v1/sessions/review-1']);
  });
});

/** A server that knows the session, and is gone before it is followed. */
function onceThere(): typeof fetch {
  return async (url) => {
    if (new URL(String(url)).pathname.endsWith('/events')) throw new TypeError('fetch failed');
    return new Response(JSON.stringify({ id: 'review-1', epoch: 1, seq: 1 }));
  };
}
