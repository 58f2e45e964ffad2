import type { Decoded } from '../codec.ts';
import { isRecord, stringOf } from '../fields.ts';

type ControlRequest = Extract<Decoded, { kind: 'control-request' }>;

/** The version that this dialect names, and what a client must say of itself and does not say there. */
const PROTOCOL_VERSION = '2025-11-25';
const CLIENT = {
  protocolVersion: PROTOCOL_VERSION,
  capabilities: {},
  clientInfo: { name: 'claude-code', version: '0' },
};

/** Open handshakes that are remembered; servers are fewer. */
const MAX_HANDSHAKES = 1_000;

/** How a peer of this dialect speaks with in-process servers: it says nothing of itself, and expects of a server that its list stays. */
export class McpSpelling {
  readonly #handshakes = new Set<string>();

  read(request: ControlRequest): ControlRequest {
    const { message } = request.request;
    if (!isRecord(message) || message['method'] !== 'initialize') return request;
    if (this.#handshakes.size < MAX_HANDSHAKES) this.#handshakes.add(request.requestId);
    const params = { ...CLIENT, ...(isRecord(message['params']) ? message['params'] : {}) };
    return { ...request, request: { ...request.request, message: { ...message, params } } };
  }

  answer(requestId: string, response: unknown): unknown {
    if (!this.#handshakes.delete(requestId) || !isRecord(response)) return response;
    const { mcp_response: reply } = response;
    const result = isRecord(reply) ? reply['result'] : undefined;
    if (!isRecord(reply) || !isRecord(result)) return response;
    const capabilities = isRecord(result['capabilities']) ? result['capabilities'] : {};
    const protocolVersion = stringOf(result['protocolVersion']) ?? PROTOCOL_VERSION;
    const told = { ...result, protocolVersion, capabilities: { ...capabilities, tools: { listChanged: false } } };
    return { ...response, mcp_response: { ...reply, result: told } };
  }
}
