import type { Shown } from '../row.ts';
import type { PeerArea } from './behaviour.ts';

const bridge = (title: string): Shown => ['test/mcp/mcp-bridge.test.ts', title];
const served = (title: string): Shown => ['test/mcp/served-servers.test.ts', title];
const tool = (title: string): Shown => ['test/mcp/tool.test.ts', title];
const control = (title: string): Shown => ['test/slow/session/control.test.ts', title];
const EDGES = control('reach in-process tools with every edge of JSON-RPC and get exactly one answer each');
const PYTHON_TYPES =
  'Schemas are built from types of Python there; zod does that here, and plain schemas come with an `McpServer`.';

export const TOOL_SERVERS: PeerArea = {
  area: 'in-process tool servers',
  least: 28,
  rows: {
    'tools and servers are made': tool('is listed with its description, its schema and its annotations'),
    'servers in this process and external ones go together': [
      'test/launch/documents.test.ts',
      'may stand on the command line only while every server runs in this process (P11)',
    ],
    'the handshake tells who the server is': bridge('is answered and told in the order of the wire (WIRE §2)'),
    'a notification is acknowledged, without a reply to it': bridge('acknowledges a notification (R99, WIRE §2)'),
    'an unknown server or method, a malformed message: an error in an ordinary reply': EDGES,
    'the session goes on after each of them': EDGES,
    'a repeated handshake disturbs no call': bridge('may be repeated, and the calls in flight go on (R99, WIRE §2)'),
    'a session that is closed lets nothing run on': control('abort the handler of a tool when the call is cancelled'),
    'who waits for a stuck call is answered at the close': bridge('is answered once when the bridge closes'),
    'an id that is in use is refused without a second run': bridge(
      'is refused without a second run of the tool, until its call',
    ),
    'an id stays taken until its call has ended': bridge(
      'is refused without a second run of the tool, until its call has ended',
    ),
    'a cancel ends the tool, with one answer in the end': bridge('aborts its handler and is answered exactly once'),
    'a tool that ignores its cancel breaks nothing': bridge('whatever the handler does then (R97)'),
    'an answer that is late goes nowhere': bridge(
      'of one tool aborts its handler and is an error result; what comes late',
    ),
    'calls of one server run at the same time': bridge('run all at once: the first of 20 waits for the last (R98)'),
    'a server that went down answers with an error until the next handshake': served(
      'serves the same session again from its',
    ),
    'a request of a server to the client is refused at once': served('is refused at once when it is a request'),
    'a ping is answered, in both directions': served(
      'gets an answer to its ping, so that it does not take the CLI for gone',
    ),
    'notifications of a server: here they are handed on': served('is forwarded when it is a notification'),
    'a server begins and ends once for each query': {
      elsewhere: 'A lifespan hook of the Python MCP SDK; there is none here.',
    },
    'tools/list: annotations': tool('is listed with its description, its schema and its annotations'),
    'tools/list: the size of results, in _meta': tool('carries what tool search and the CLI read about it'),
    'results: text, picture, link, embedded, structured': tool('may return whatever MCP knows'),
    'results: a picture is one for the model': [
      'test/slow/real-cli/mcp-results.test.ts',
      'reaches the model as an image',
    ],
    'results: the error flag': [
      'test/slow/real-cli/tools.test.ts',
      'hands results, error results and throws to the model',
    ],
    'a handler that throws, an unknown tool, wrong arguments: error results': bridge(
      'that cannot succeed are error results',
    ),
    'arguments are checked before the handler': tool('gets its arguments validated and its defaults filled in'),
    'schemas out of types of the language': { elsewhere: PYTHON_TYPES },
    'a variable that bounds outputs reaches the CLI': [
      'test/launch/launch-environment.test.ts',
      'hands on what bounds the outputs of tools',
    ],
    'a small result is inline': [
      'test/slow/real-cli/tools.test.ts',
      'hands results, error results and throws to the model',
    ],
    'a large result is whole on its way to the CLI': EDGES,
    'a large result is a file for the model': [
      'test/slow/real-cli/mcp-results.test.ts',
      'goes to a file when it is large, and the model gets its beginning and its place',
    ],
  },
};
