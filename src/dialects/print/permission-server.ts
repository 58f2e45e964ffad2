import { isRecord, stringOf } from '../../wire/fields.ts';

type Message = Readonly<Record<string, unknown>>;

/** Under this name the process knows the server that asks here. */
export const PERMISSION_SERVER = 'troupe_permissions';
const TOOL = 'decide';
/** For `--permission-prompt-tool`. */
export const PERMISSION_TOOL = `mcp__${PERMISSION_SERVER}__${TOOL}`;

const TOOLS = [
  {
    name: TOOL,
    description: 'Decides whether a tool may run.',
    inputSchema: {
      type: 'object',
      properties: { tool_name: { type: 'string' }, input: { type: 'object' }, tool_use_id: { type: 'string' } },
      required: ['tool_name', 'input'],
    },
  },
];

/** The reply of an MCP server with one tool, which asks whether another one may run. Undefined to a notification. */
export async function permissionReply(
  message: Message,
  ask: (question: Record<string, unknown>) => Promise<unknown>,
): Promise<Record<string, unknown> | undefined> {
  const { id, method } = message;
  if (id === undefined) return undefined;
  const params = isRecord(message['params']) ? message['params'] : {};
  const result = (value: unknown) => ({ jsonrpc: '2.0', id, result: value });
  switch (method) {
    case 'initialize': {
      const protocolVersion = stringOf(params['protocolVersion']) ?? '2025-11-25';
      const serverInfo = { name: PERMISSION_SERVER, version: '1.0.0' };
      return result({ protocolVersion, capabilities: { tools: {} }, serverInfo });
    }
    case 'ping':
      return result({});
    case 'tools/list':
      return result({ tools: TOOLS });
    case 'tools/call':
      return result(await decision(params, ask));
    default:
      return { jsonrpc: '2.0', id, error: { code: -32_601, message: 'Method not found' } };
  }
}

/** Fail closed: who cannot be asked says no. */
async function decision(params: Message, ask: (question: Record<string, unknown>) => Promise<unknown>) {
  const asked = isRecord(params['arguments']) ? params['arguments'] : {};
  const { tool_name, input = {}, tool_use_id } = asked;
  const question = { tool_name, input, ...(tool_use_id === undefined ? {} : { tool_use_id }) };
  const answer = await ask(question).catch((error: unknown) => ({
    behavior: 'deny',
    message: `Tool permission request failed: ${error instanceof Error ? error.message : String(error)}`,
  }));
  return { content: [{ type: 'text', text: JSON.stringify(answer) }] };
}
