import type { ServableServer } from '../../src/mcp/server-hub.ts';

/** What a raw server answers: the rest of a reply, or undefined for silence. */
export type RawAnswer = (request: { readonly method: string; readonly id: string | number }) => object | undefined;

/** The answers of a server with one tool `go` that works. */
export const SOUND: Readonly<Record<string, object>> = {
  initialize: {
    result: {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'raw', version: '1.0.0' },
    },
  },
  'tools/list': { result: { tools: [{ name: 'go', inputSchema: { type: 'object' } }] } },
  'tools/call': { result: { content: [{ type: 'text', text: 'gone' }] } },
};

/** A server below all SDKs, which can do what none of them would. `heard` holds the methods that reached it. */
export function rawServer(answer: RawAnswer): ServableServer & { readonly heard: string[] } {
  const heard: string[] = [];
  return {
    heard,
    async connect(transport) {
      transport.onmessage = (message) => {
        if (!('method' in message)) return;
        heard.push(message.method);
        const reply = 'id' in message ? answer(message) : undefined;
        // A spread last, so that a test may answer under another id.
        if (reply !== undefined && 'id' in message)
          void transport.send({ jsonrpc: '2.0', id: message.id, ...reply } as never);
      };
      await transport.start();
    },
    close: async () => {},
  };
}

/** Sound, but for one method: `undefined` there is silence. */
export function soundBut(method: string, reply: object | undefined) {
  return rawServer((request) => (request.method === method ? reply : (SOUND[request.method] ?? { result: {} })));
}
