import { TroupeError } from '../errors.ts';
import { serverEntries } from '../launch/mcp-document.ts';
import type { McpServersOption } from '../launch/mcp-server-options.ts';
import type { McpSetServersResult, ServerChange, ServerSet } from '../mcp/server-set.ts';
import { McpSetServersSchema, readAnswer } from '../wire/control-answers.ts';

export interface ServerChangeHands {
  readonly set: ServerSet;
  /** True when a process is there to be asked. */
  readonly reach: () => Promise<boolean>;
  readonly ask: (servers: Record<string, unknown>) => Promise<Record<string, unknown>>;
  /** The session has its new set, also where a required server of it did not come. */
  readonly onChanged: () => void;
}

/**
 * Replaces the servers of a session in the CLI and in this process, one change after the other. Without a process the next
 * start brings them. Throws MCP_SERVER_FAILED, with the result in its details, when a required one could not be connected;
 * the others are in place then.
 */
export function changeServers(next: McpServersOption, hands: ServerChangeHands): Promise<McpSetServersResult> {
  const { set, reach, ask, onChanged } = hands;
  return set.inTurn(async () => {
    const isThere = await reach();
    const change = set.plan(next);
    set.expect(change);
    try {
      const result = isThere
        ? await request(change, ask)
        : { added: change.added, removed: change.removed, errors: {} };
      set.commit(change);
      onChanged();
      assertRequired(next, result);
      return result;
    } finally {
      set.withdraw();
    }
  });
}

async function request(change: ServerChange, ask: ServerChangeHands['ask']): Promise<McpSetServersResult> {
  const answers: McpSetServersResult[] = [];
  for (const servers of change.requests) {
    answers.push(readAnswer(McpSetServersSchema, 'mcp_set_servers', await ask(serverEntries(servers))));
  }
  const last = answers.at(-1);
  const wanted = Object.keys(change.requests.at(-1) ?? {});
  return {
    added: last?.added ?? [],
    removed: [...new Set(answers.flatMap(({ removed }) => removed))].filter((name) => !wanted.includes(name)),
    errors: last?.errors ?? {},
  };
}

function assertRequired(servers: McpServersOption, result: McpSetServersResult): void {
  const failed = Object.entries(result.errors).find(([name]) => servers[name]?.required === true);
  if (failed === undefined) return;
  const [server, error] = failed;
  const reason = `The required MCP server "${server}" is not ready: ${error}.`;
  throw new TroupeError('MCP_SERVER_FAILED', { reason, details: { server, status: 'failed', error, result } });
}
