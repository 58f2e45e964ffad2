import { createServer } from '../../../dist/src/server/index.js';

/** Where and how clients meet a session of Troupe: its server with its defaults. */
export async function served(supervisor, id) {
  const { url, token } = await createServer({ supervisor, dashboard: false });
  const capabilities = { streaming: false, permissions: false, progress: false, messages: true };
  return {
    sse: `${url}/v1/sessions/${id}/events`,
    websocket: `${url.replace('http', 'ws')}/v1/ws`,
    headers: { authorization: `Bearer ${token}` },
    hello: [
      { jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocol_version: '1.0', capabilities } },
      { jsonrpc: '2.0', id: 1, method: 'session_attach', params: { session_id: id } },
    ],
  };
}
