import type { WireSection } from './wire-row.ts';

const INTERRUPTS = 'test/slow/real-cli/interrupts.test.ts';
const ROWS = 'test/slow/real-cli/control-rows.test.ts';
const CONTROLS = 'test/slow/real-cli/controls.test.ts';
const SETS = 'test/slow/real-cli/mcp-set-servers.test.ts';

export const INTERRUPT: WireSection = {
  section: 8,
  about: 'interrupt',
  rows: {
    'the receipt names what still waits': [INTERRUPTS, 'lets a prompt that the CLI holds run on'],
    'with cancel_queued it names what was dropped': [INTERRUPTS, 'takes back a prompt that the CLI holds when asked'],
    'where no release can, the prompts are taken back one by one': [
      'test/slow/session/controls.test.ts',
      'with an interrupt names them and leaves none to run',
    ],
    'in the middle of a stream': [INTERRUPTS, 'ends a streaming turn with one result that names the reason'],
    'a partial answer is kept, flagged by newer releases': [
      INTERRUPTS,
      'ends a streaming turn with one result that names the reason',
    ],
    'while the API is silent': [INTERRUPTS, 'ends a turn whose model says nothing'],
    'while Bash runs': [INTERRUPTS, 'ends a running shell with everything it started'],
    'while a question is open': [INTERRUPTS, 'takes an open question back before it answers'],
    'idle: no result': [INTERRUPTS, 'of nobody brings no result'],
    'twice: two receipts, one result': [INTERRUPTS, 'sent twice gives two receipts and one result'],
    'with a waiting prompt: it runs by itself': [INTERRUPTS, 'lets a prompt that the CLI holds run on'],
    'after the result, with a background agent': [INTERRUPTS, 'after the result ends a background agent'],
    'the process goes on and takes prompts': [INTERRUPTS, 'ends a turn whose model says nothing'],
    'the diagnostic in errors is noise': [
      'test/session/prompt-ledger.test.ts',
      'is an interruption and no error, whatever the diagnostic says',
    ],
    'no is_error up to 2.1.19: the outcome is the same': [
      'test/slow/session/old-releases.test.ts',
      'is interrupted, asks, and calls in-process tools',
    ],
  },
};

export const REQUESTS: WireSection = {
  section: 9,
  about: 'other control requests',
  rows: {
    get_settings: [CONTROLS, 'answers each one, idle'],
    'get_settings is never answered by 2.1.19': [
      'test/slow/session/controls.test.ts',
      'that a release never answers says so when its time is up',
    ],
    mcp_status: [CONTROLS, 'switches MCP servers off and overrides their mode'],
    'mcp_status may be empty just after the start': [
      'test/mcp/external-servers.test.ts',
      'may be missing from the first answers',
    ],
    'set_model, shown by the next turn': [CONTROLS, 'changes the model and the thinking of the next request'],
    'set_model takes a name nobody knows': [ROWS, 'set_model takes a name nobody knows'],
    'set_model without a name resets': [ROWS, 'set_model takes a name nobody knows'],
    'set_permission_mode and its status': [ROWS, 'set_permission_mode is told at once'],
    'set_permission_mode refuses bypass and nonsense': [ROWS, 'set_permission_mode is told at once'],
    'set_permission_mode is answered twice by 2.1.19': [
      'test/slow/session/controls.test.ts',
      'that is answered twice counts once',
    ],
    set_max_thinking_tokens: [CONTROLS, 'changes the model and the thinking of the next request'],
    'set_max_thinking_tokens with a bad value': [ROWS, 'set_max_thinking_tokens refuses what is no number'],
    'mcp_set_servers replaces the in-process ones': [
      SETS,
      'brings in-process servers at once and takes the former ones away',
    ],
    'mcp_set_servers tells its errors': [SETS, 'brings an external server, says why one could not come'],
    'mcp_reconnect and mcp_toggle': [
      'test/slow/real-cli/mcp-external.test.ts',
      'can be switched off and on, connected again',
    ],
    'mcp_reconnect and mcp_toggle of an unknown server': [CONTROLS, 'answers each one, idle'],
    'rewind_files, dry and real, and of an unknown message': [ROWS, 'rewind_files tells what it would do'],
    'rewind_files needs its variable at the start': [
      'test/launch/launch-environment.test.ts',
      'turns file checkpointing on only by its option',
    ],
    get_context_usage: [ROWS, 'get_context_usage names what fills the window'],
    'stop_task of a running task': [ROWS, 'stop_task ends a background shell'],
    'stop_task of an unknown one': [CONTROLS, 'answers each one, idle'],
    cancel_async_message: [CONTROLS, 'takes a written prompt back from the CLI'],
    'cost, usage, models, rules, version, tasks, title': [CONTROLS, 'answers each one, idle'],
    'end_session, idle and in a turn': [ROWS, 'end_session lets an idle process go with code 0'],
    'an unknown subtype': [ROWS, 'of a request nobody knows is CONTROL_UNSUPPORTED'],
    'no subtype at all is never written': [ROWS, 'of a request nobody knows is CONTROL_UNSUPPORTED'],
    'old releases never answer what they do not know': [
      'test/slow/session/controls.test.ts',
      'that a release never answers says so when its time is up',
    ],
    'all of them in the middle of a turn': [CONTROLS, 'answers each one in the middle of a turn'],
    'a cancel for a request that is over is ignored': [ROWS, 'of a request that was given up is not waited for'],
  },
};
