import type { CliMessage } from './cli-message.ts';
import { isRecord } from './fields.ts';

/**
 * What a frame says about the work. `progress`: the turn moved. `liveness`: the process speaks, and the turn is where it
 * was. `noise`: nothing can be concluded.
 */
export type FrameClass = 'progress' | 'liveness' | 'noise';

export interface FrameRule {
  readonly frameClass: FrameClass;
  readonly because: string;
}

const progress = (because: string): FrameRule => ({ frameClass: 'progress', because });
const liveness = (because: string): FrameRule => ({ frameClass: 'liveness', because });
const noise = (because: string): FrameRule => ({ frameClass: 'noise', because });

const TASK = liveness('tasks go on beside the turn; what a foreground agent does comes as messages of its own');
const STATUS = liveness('it says how things are, as often as the CLI likes');
const NEWS = liveness('news that no turn waits for');

/** The class of each kind of frame, by `type` or `type/subtype`; what is not named here is noise (WIRE §21). */
export const FRAME_RULES: Readonly<Record<string, FrameRule>> = {
  assistant: progress('the model has finished a block'),
  user: progress('a tool has its result, or the CLI went on by itself'),
  'user (isReplay)': liveness('it repeats what the host said'),
  stream_event: progress('a token, or the frame around tokens'),
  'stream_event (ping, empty delta)': liveness('the API keeps its connection open'),
  result: progress('the turn is over'),
  'system/init': progress('a turn has opened'),
  command_lifecycle: progress('a prompt was started, completed or dropped: each once'),
  'command_lifecycle (queued)': liveness('the CLI has read the prompt and does nothing yet'),
  conversation_reset: progress('a command of the turn was done'),
  'system/thinking_tokens': progress('the count of thought tokens grows'),
  'system/compact_boundary': progress('the conversation has been compacted'),
  'system/local_command_output': progress('a command of the turn was done'),
  'system/permission_denied': progress('the CLI refused a tool and goes on'),
  'system/model_refusal_fallback': progress('the turn goes on with another model'),
  'system/model_refusal_no_fallback': progress('the turn goes on to its end'),
  'system/hook_started': progress('a hook runs: from here on the hook is waited for'),
  'system/hook_response': progress('a hook is done'),
  'system/hook_progress': liveness('a hook writes, and the turn waits for its end'),
  tool_progress: liveness('a tool, or a hook that holds one, still runs; it counts where a tool is waited for'),
  'system/task_started': TASK,
  'system/task_progress': TASK,
  'system/task_updated': TASK,
  'system/task_notification': TASK,
  'system/background_tasks_changed': TASK,
  'system/api_retry': liveness('the model did not answer: this is the opposite of progress'),
  'system/status': STATUS,
  'system/session_state_changed': STATUS,
  auth_status: STATUS,
  rate_limit_event: STATUS,
  tool_use_summary: NEWS,
  prompt_suggestion: NEWS,
  transcript_mirror: liveness('a copy of frames that count themselves'),
  'system/session_title_changed': NEWS,
  'system/informational': NEWS,
  'system/notification': NEWS,
  'system/control_request_progress': liveness('the host asked for it'),
  'system/plugin_install': NEWS,
  'system/worker_shutting_down': NEWS,
  'system/commands_changed': NEWS,
  'system/files_persisted': NEWS,
  'system/memory_recall': NEWS,
  'system/elicitation_complete': NEWS,
  'system/mirror_error': NEWS,
  'system/session_writes_lost': NEWS,
  'system/permission_request': progress('the turn came to a tool that somebody else decides'),
  'system/hook_execution': progress('the turn came to a hook'),
  'system/error': NEWS,
  'control_request/can_use_tool': progress('the turn came to a tool; from here on people are waited for'),
  'control_request/elicitation': progress('as above'),
  'control_request/request_user_dialog': progress('as above'),
  'control_request/hook_callback': progress('the turn came to a hook'),
  'control_request/mcp_message': liveness('handshakes, lists and notifications belong to no turn'),
  'control_request/mcp_message (tools/call)': progress('the turn came to a tool of this program'),
  control_cancel_request: liveness('the end of the wait counts, where one was open'),
  control_response: liveness('the host asked for it: who asks often enough would never see a stall'),
  keep_alive: noise('written by a timer'),
  'unknown type or subtype': noise('nobody knows what it means'),
  'no JSON, or JSON without a type': noise('it is not of the protocol'),
  'the same line again': noise('each frame is written once'),
};

/** What a frame means to a watcher of the work. */
export interface Frame {
  readonly frameClass: FrameClass;
  /** The call of the agent that speaks; undefined for the turn itself. */
  readonly parent: string | undefined;
  readonly opens: readonly OpenCall[];
  readonly closes: readonly OpenCall[];
}

export interface OpenCall {
  readonly kind: 'tool' | 'hook';
  readonly id: string;
}

const NONE: readonly OpenCall[] = [];

/** Classifies a message. Lines that are recognised by their first bytes are searched, not parsed. Never throws. */
export function frameOf(message: CliMessage): Frame {
  const { type, subtype } = message;
  if (type === 'stream_event' || type === 'assistant') return spokenFrame(message);
  if (type === 'user') return userFrame(message.value ?? {});
  const rule = FRAME_RULES[type === 'system' ? `system/${subtype}` : type];
  const frameClass = rule?.frameClass ?? 'noise';
  if (type === 'command_lifecycle' && message.value?.['state'] === 'queued') return plain('liveness');
  if (type === 'system' && (subtype === 'hook_started' || subtype === 'hook_response')) {
    const id = message.value?.['hook_id'];
    const hooks: readonly OpenCall[] = typeof id === 'string' ? [{ kind: 'hook', id }] : NONE;
    const isStart = subtype === 'hook_started';
    return { frameClass, parent: undefined, opens: isStart ? hooks : NONE, closes: isStart ? NONE : hooks };
  }
  return plain(frameClass);
}

/** The class of a control request of the CLI. */
export function requestClass(subtype: string, request: Readonly<Record<string, unknown>>): FrameClass {
  const { message } = request;
  if (subtype === 'mcp_message' && isRecord(message) && message['method'] === 'tools/call') return 'progress';
  return REQUEST_CLASSES.get(subtype) ?? 'noise';
}

const REQUESTS = 'control_request/';
const REQUEST_CLASSES: ReadonlyMap<string, FrameClass> = new Map(
  Object.entries(FRAME_RULES)
    .filter(([kind]) => kind.startsWith(REQUESTS))
    .map(([kind, { frameClass }]) => [kind.slice(REQUESTS.length), frameClass]),
);

function plain(frameClass: FrameClass): Frame {
  return { frameClass, parent: undefined, opens: NONE, closes: NONE };
}

/** Inside a string every quote is escaped: what is found with bare quotes is a key or a value of the line itself. */
const EMPTY_STREAM = [
  '{"type":"ping"',
  '"type":"text_delta","text":""',
  '"type":"thinking_delta","thinking":""',
  '"type":"input_json_delta","partial_json":""',
].map((text) => Buffer.from(text));
const TOOL_USE = Buffer.from('"type":"tool_use"');
const FIRST_TOOL_USE = Buffer.from('"content":[{"type":"tool_use","id":"');
const PARENT = Buffer.from('"parent_tool_use_id":"');
const QUOTE = 0x22;
/** Ids of the API have 30 characters. */
const MAX_ID_BYTES = 200;

function spokenFrame(message: CliMessage): Frame {
  const { line: raw, type } = message;
  const parent = idBehind(raw, PARENT, raw.lastIndexOf(PARENT));
  if (type === 'stream_event') {
    const isEmpty = EMPTY_STREAM.some((pattern) => raw.includes(pattern));
    return { frameClass: isEmpty ? 'liveness' : 'progress', parent, opens: NONE, closes: NONE };
  }
  return { frameClass: 'progress', parent, opens: raw.includes(TOOL_USE) ? toolUses(message) : NONE, closes: NONE };
}

/** Each message of every release holds one block, and a call begins with its id (WIRE §10); else the line is parsed. */
function toolUses(message: CliMessage): readonly OpenCall[] {
  const { line: raw } = message;
  const id = idBehind(raw, FIRST_TOOL_USE, raw.indexOf(FIRST_TOOL_USE));
  return id === undefined ? callsIn(message.value ?? {}, 'tool_use', 'id') : [{ kind: 'tool', id }];
}

function idBehind(raw: Buffer, pattern: Buffer, at: number): string | undefined {
  if (at === -1) return undefined;
  const start = at + pattern.length;
  const end = raw.indexOf(QUOTE, start);
  return end === -1 || end === start || end - start > MAX_ID_BYTES ? undefined : raw.toString('latin1', start, end);
}

function userFrame(value: Readonly<Record<string, unknown>>): Frame {
  const { isReplay, parent_tool_use_id: parent } = value;
  return {
    frameClass: isReplay === true ? 'liveness' : 'progress',
    parent: typeof parent === 'string' ? parent : undefined,
    opens: NONE,
    closes: callsIn(value, 'tool_result', 'tool_use_id'),
  };
}

function callsIn(value: Readonly<Record<string, unknown>>, type: string, idField: string): readonly OpenCall[] {
  const { message } = value;
  const content = isRecord(message) ? message['content'] : undefined;
  if (!Array.isArray(content)) return NONE;
  return content.flatMap((block: unknown) => {
    if (!isRecord(block) || block['type'] !== type) return [];
    const id = block[idField];
    return typeof id === 'string' ? [{ kind: 'tool' as const, id }] : [];
  });
}
