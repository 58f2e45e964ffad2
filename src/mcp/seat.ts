import type { JsonRpcId } from './json-rpc.ts';
import type { HubMember, ServableServer, ServerHub } from './server-hub.ts';

/** The place of one session at the hub of one server. */
export interface Seat {
  readonly server: ServableServer;
  readonly hub: ServerHub;
  readonly member: HubMember;
  joined: Promise<() => void>;
  /** It was at its place once; whether its server is still connected, the hub knows. */
  hasJoined: boolean;
  /** The hub's id → the CLI's id of the requests in flight. */
  readonly requests: Map<JsonRpcId, JsonRpcId>;
  /** The CLI's id → the hub's id, for cancels; the newest wins when ids are used again. */
  readonly newest: Map<JsonRpcId, JsonRpcId>;
  /** The CLI's ids of the tool calls in flight, with the number of the handshake they belong to. */
  readonly calls: Map<JsonRpcId, number>;
}

export function takeSeat(server: ServableServer, hub: ServerHub, member: HubMember): Seat {
  return {
    server,
    hub,
    member,
    joined: hub.join(member),
    hasJoined: false,
    requests: new Map(),
    newest: new Map(),
    calls: new Map(),
  };
}
