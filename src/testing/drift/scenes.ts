import { isRecord } from '../../wire/fields.ts';
import type { Answers, Line } from './cli-peer.ts';
import { ended, isMcp, isRequest, isType, left, prompted, type Scene, SERVER, TOOL, turn } from './scene.ts';

const BASH = 'CALL Bash {"command":"echo drift > drift.txt","description":"write"}';
const HOOKS = ['UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop'];
/** One word after the other, so long that nobody waits for its end. */
const ENDLESS = 'SLOW 10000';
/** Long enough that the end of input comes in the middle. */
const SHORT = 'SLOW 20';
/** One retry, which is told, and then the error. */
const ONE_RETRY = { CLAUDE_CODE_MAX_RETRIES: '1' };
const NO_CONVERSATION = '5f0c9a34-3f58-4d0e-9d0c-0d5f6f5a7b11';

/** Lines that come or stay away by how long things take: a busy machine is no drift. */
export const DEPENDS_ON_TIME: ReadonlySet<string> = new Set([
  'keep_alive',
  'tool_progress',
  'system/task_started',
  'system/task_updated',
  'system/task_notification',
  'system/background_tasks_changed',
]);

/** The fixed script. Each scene names what it needs by its anchors; what it shows beside them is compared. */
export const SCENES: readonly Scene[] = [
  {
    name: 'handshake',
    about: '`initialize`, then the end of the input',
    play: async ({ open }) => {
      const peer = await open();
      await peer.ask('initialize');
      await left(peer);
    },
  },
  {
    name: 'prompt',
    about: 'a prompt with partial messages',
    play: async ({ open }) => turn(await open({ includePartialMessages: true }), 'SLOW 3'),
  },
  {
    name: 'thinking',
    about: 'a model that thinks first',
    play: async ({ open }) => turn(await open({ includePartialMessages: true }), 'THINK'),
  },
  {
    name: 'permission-allow',
    about: 'a tool that is asked for and allowed',
    play: async ({ open }) => {
      const answers = answering('can_use_tool', ({ input }) => ({ behavior: 'allow', updatedInput: input }));
      const peer = await open({}, { answers });
      const asked = peer.until('permission asked', isRequest('can_use_tool'));
      await Promise.all([asked, turn(peer, BASH)]);
    },
  },
  {
    name: 'permission-deny',
    about: 'a tool that is asked for and denied',
    play: async ({ open }) => {
      const answers = answering('can_use_tool', () => ({ behavior: 'deny', message: 'Not here.' }));
      const peer = await open({}, { answers });
      const asked = peer.until('permission asked', isRequest('can_use_tool'));
      await Promise.all([asked, turn(peer, BASH)]);
    },
  },
  {
    name: 'hook',
    about: 'callbacks before and after a prompt, a tool and a turn',
    play: async ({ open }) => {
      const answers = answering('hook_callback', () => ({ continue: true }));
      const peer = await open({ allowedTools: ['Bash'] }, { answers });
      const hooks = Object.fromEntries(HOOKS.map((event) => [event, [{ hookCallbackIds: [`drift-${event}`] }]]));
      const called = peer.until('hook called', isRequest('hook_callback'));
      await Promise.all([called, turn(peer, BASH, { hooks })]);
    },
  },
  {
    name: 'in-process-tool',
    about: 'an MCP server in this process: its handshake and a call of its tool',
    play: async ({ open, has }) => {
      const servers = { mcpServers: { [SERVER]: { type: 'sdk', name: SERVER } } };
      const flags = [`--mcp-config=${JSON.stringify(servers)}`];
      const answers = answering('mcp_message', ({ message }) => ({ mcp_response: served(message) }));
      const peer = await open({ allowedTools: [TOOL] }, { answers, flags });
      const shaken = peer.until('MCP initialized', isMcp('initialize'));
      const listed = peer.until('tools listed', isMcp('tools/list'));
      const called = peer.until('tool called', isMcp('tools/call'));
      await peer.ask('initialize');
      // Otherwise the two would run side by side, in any order; releases that begin with the prompt leave no choice (WIRE §2).
      if (has('earlyHandshake')) await listed;
      await Promise.all([shaken, listed, called, prompted(peer, `CALL ${TOOL} {"a":1,"b":2}`)]);
    },
  },
  {
    name: 'interrupt',
    about: 'an interrupt in the middle of a stream',
    play: async ({ open }) => {
      const peer = await open({ includePartialMessages: true });
      await peer.ask('initialize');
      peer.prompt(ENDLESS);
      await peer.until('text streams', isDelta);
      await peer.ask('interrupt');
      await ended(peer);
    },
  },
  ...[429, 529].map(
    (status): Scene => ({
      name: `error-${status}`,
      about: `the API answers ${status}, also after a retry`,
      play: async ({ open }) => {
        const peer = await open({ env: ONE_RETRY });
        const retried = peer.until('retry told', isType('system', 'api_retry'));
        await Promise.all([retried, turn(peer, `ERROR ${status}`)]);
      },
    }),
  ),
  {
    name: 'controls',
    about: '`mcp_status`, `set_model`, `set_permission_mode` and a request that nobody knows',
    play: async ({ open }) => {
      const peer = await open();
      await peer.ask('initialize');
      await peer.ask('mcp_status');
      await peer.ask('set_model', { model: 'claude-sonnet-4-5' });
      await peer.ask('set_permission_mode', { mode: 'plan' });
      await peer.ask('drift_unknown');
      await left(peer);
    },
  },
  {
    name: 'bad-flag',
    about: 'a flag that no release knows',
    play: async ({ open }) => {
      const peer = await open({}, { flags: ['--drift-of-no-release'] });
      await peer.exited();
    },
  },
  {
    name: 'resume',
    about: 'another process goes on with a conversation',
    play: async (stage) => {
      const first = await stage.open({ sessionId: NO_CONVERSATION });
      await turn(first, 'Remember this.');
      stage.forget(first);
      await turn(await stage.open({ resume: NO_CONVERSATION }), 'What was it?');
    },
  },
  {
    name: 'resume-unknown',
    about: 'a conversation that is not there',
    play: async ({ open }) => {
      const peer = await open({ resume: NO_CONVERSATION });
      // Its answer never comes; that the process ends is all there is to wait for (WIRE §12).
      peer.ask('initialize').catch(() => {});
      await peer.exited();
    },
  },
  {
    name: 'close',
    about: 'the input ends in the middle of a turn, which is finished first',
    play: async ({ open }) => {
      const peer = await open({ includePartialMessages: true });
      await peer.ask('initialize');
      peer.prompt(SHORT);
      await peer.until('text streams', isDelta);
      peer.endInput();
      await peer.until('result', isType('result'));
      await peer.exited();
    },
  },
];

function answering(subtype: string, answer: (request: Line) => unknown): Answers {
  return (asked, request) => (asked === subtype ? answer(request) : undefined);
}

function isDelta({ type, event }: Line): boolean {
  return type === 'stream_event' && isRecord(event) && event['type'] === 'content_block_delta';
}

/** The in-process server: one tool, whose answer is always the same. Notifications are answered too (WIRE §2). */
function served(message: unknown): unknown {
  const { id = 0, method, params } = isRecord(message) ? message : {};
  return { jsonrpc: '2.0', id, result: resultOf(method, isRecord(params) ? params : {}) };
}

function resultOf(method: unknown, params: Line): unknown {
  switch (method) {
    case 'initialize': {
      const { protocolVersion = '' } = params;
      return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: SERVER, version: '1' } };
    }
    case 'tools/list':
      return { tools: [{ name: 'add', description: 'Adds.', inputSchema: { type: 'object', properties: {} } }] };
    case 'tools/call':
      return { content: [{ type: 'text', text: '3' }] };
    default:
      return {};
  }
}
