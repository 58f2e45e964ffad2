import type { WireSection } from './wire-row.ts';

const TOOLS = 'test/slow/real-cli/tools.test.ts';
const BRIDGE = 'test/mcp/mcp-bridge.test.ts';
const MISBEHAVED = 'test/slow/real-cli/mcp-misbehaving.test.ts';
const EXTERNAL = 'test/slow/real-cli/mcp-external.test.ts';
const RECORDINGS = 'test/slow/fake-cli/recordings.test.ts';

export const HANDSHAKE: WireSection = {
  section: 2,
  about: 'the handshake with in-process servers',
  rows: {
    'initialize, its answer, initialized, tools/list, silence': [
      BRIDGE,
      'is answered and told in the order of the wire',
    ],
    'one server, before the first prompt': [TOOLS, 'passes mcp-setup and connects one server before the first prompt'],
    'two servers, both in system/init': [TOOLS, 'connects two servers and lists both to the model'],
    'a silent server does not hold the initialize answer back': [
      MISBEHAVED,
      'costs seconds, not the first turn, and the one beside it serves that turn',
    ],
    'the prompt right behind initialize: 2.1.332 shakes hands first': [
      RECORDINGS,
      'the prompt right behind initialize',
    ],
    'up to 2.1.197 it shakes hands twice, interleaved': [BRIDGE, 'may run twice interleaved, as 2.1.19 and 2.1.197 do'],
    'the ids begin again at 0': [BRIDGE, 'may be repeated, and the calls in flight go on'],
    '2.0.30: nothing before the first prompt': [RECORDINGS, 'handshake and tool call of an in-process server'],
    'servers by --mcp-config': ['test/launch/launch-arguments.test.ts', 'names an in-process server inline'],
    'servers by sdkMcpServers': {
      cli: 'The host names its servers by --mcp-config, which every release takes at once.',
    },
    'manifests remove the handshake': { recorded: '2.1.332/02e-sdk-manifests' },
    'the envelope of a message and of its reply': [BRIDGE, 'is answered and told in the order of the wire'],
    'notifications want a reply too': [BRIDGE, 'acknowledges a notification'],
    'the offered protocol version and client': [BRIDGE, 'is answered and told in the order of the wire'],
    'tools/call names the tool use': [BRIDGE, 'see their own abort signal and the id of the tool use'],
    'a call with a progress token': [
      'test/mcp/served-servers.test.ts',
      'tells the progress of a call only to its caller',
    ],
    'the host says that its list changed': [
      'test/slow/real-cli/mcp-results.test.ts',
      'about its list of tools brings a new one to the next turn',
    ],
    'the host speaks for a server nobody knows': [
      'test/control/control-channel.test.ts',
      'takes the answer, which the CLI sends all the same',
    ],
  },
};

export const NAMELESS: WireSection = {
  section: 3,
  about: 'an in-process server without a name',
  rows: {
    'dropped, refused, or the end of the process': [
      'test/launch/launch-arguments.test.ts',
      'names an in-process server inline, always with its name',
    ],
  },
};

export const MISBEHAVING: WireSection = {
  section: 4,
  about: 'servers that misbehave',
  rows: {
    'initialize never answered: twice the timeout, then failed': [
      MISBEHAVED,
      'costs seconds, not the first turn, and the one beside it serves that turn',
    ],
    'MCP_TIMEOUT bounds it': [EXTERNAL, 'that is silent costs the first turn what mcpServerMs says'],
    'one good and one dead server: the good one shakes hands again': [
      MISBEHAVED,
      'costs seconds, not the first turn, and the one beside it serves that turn',
    ],
    'an error for the handshake: no wait, one more try, then failed': [
      MISBEHAVED,
      'holds nothing back: its reason is told, the turn runs without it',
    ],
    'answered late: connected': [MISBEHAVED, 'is waited for, and its tool is there in the first turn'],
    'a reply without its wrapper is none': [
      'test/slow/fake-cli/violations.test.ts',
      'is recorded for an MCP reply without its wrapper',
    ],
    'tools/list never answered: no tools': [
      MISBEHAVED,
      'is told as failed when tools/list is never answered, although the CLI calls it connected',
    ],
    'a call that fails: an error result, and the server stays': [
      TOOLS,
      'hands results, error results and throws to the model',
    ],
    'a call with a JSON-RPC error: an error result, and the server stays': [
      MISBEHAVED,
      'with a JSON-RPC error is an error result, and the server stays',
    ],
    'a call that is answered under another id, or never': [MISBEHAVED, 'ends at the timeout of its server'],
    'a call that is never answered is cancelled by an interrupt': [
      TOOLS,
      'aborts a running tool when the turn is interrupted',
    ],
    'MCP_TOOL_TIMEOUT: an error result and a cancel': [
      MISBEHAVED,
      'ends at MCP_TOOL_TIMEOUT of the environment, and the handler hears of it',
    ],
    'the deadline of one call': [EXTERNAL, 'obeys its own limit for a call'],
    'a server over SSE': ['test/slow/real-cli/mcp-sse.test.ts', 'is reached with its headers'],
    'mcp_status of a failed server has its error': [EXTERNAL, 'holds nothing back, and what becomes of it is told'],
  },
};
