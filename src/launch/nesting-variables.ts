const HANDED_DOWN = 'tells a child which session started it';
const REMOTE = 'belongs to a hosted session';
const DESCRIPTOR = 'names a file descriptor that is not inherited';

/**
 * Variables by which a CLI session marks what it starts, each with the reason why a new session must not see it (R91). A
 * `*` at the end stands for any ending. User configuration stays: `CLAUDE_CONFIG_DIR`, `CLAUDE_CODE_MAX_RETRIES`,
 * `CLAUDE_CODE_USE_BEDROCK`, `CLAUDE_CODE_OAUTH_TOKEN`, `ANTHROPIC_*`, `DISABLE_*`, `NODE_OPTIONS` and the like. (Most were
 * seen in the environment that CLI 2.1.332 gives its Bash tool and its hooks.)
 */
export const NESTING_VARIABLES: Readonly<Record<string, string>> = {
  AI_AGENT: 'says that a coding agent runs the process',
  CLAUDECODE: 'makes a CLI refuse to start inside another one',
  CLAUDE_AGENT_SDK_VERSION: 'claims that the official SDK is the host',
  CLAUDE_CODE_BRIDGE_SESSION_ID: REMOTE,
  CLAUDE_CODE_CHILD_NOTES_DIR: HANDED_DOWN,
  CLAUDE_CODE_CHILD_SESSION: HANDED_DOWN,
  CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: 'is set by Troupe',
  CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: 'is the option enableFileCheckpointing of the outer host',
  CLAUDE_CODE_ENTRYPOINT: 'says how the outer session was started',
  CLAUDE_CODE_EXECPATH: 'is the executable of the outer session',
  CLAUDE_CODE_HOST_SESSION_ID: HANDED_DOWN,
  CLAUDE_CODE_LAUNCHED_BY_SESSION_IDS: HANDED_DOWN,
  CLAUDE_CODE_MESSAGING_SOCKET: 'leads to the outer session',
  CLAUDE_CODE_MESSAGING_TOKEN: 'leads to the outer session',
  CLAUDE_CODE_REMOTE: REMOTE,
  CLAUDE_CODE_REMOTE_SESSION_ID: REMOTE,
  CLAUDE_CODE_RESUME_FROM_SESSION: 'goes on with the conversation of another session',
  CLAUDE_CODE_SDK_HAS_HOST_AUTH_REFRESH: 'promises answers that only the outer host gives',
  CLAUDE_CODE_SDK_HAS_OAUTH_REFRESH: 'promises answers that only the outer host gives',
  CLAUDE_CODE_SDK_READS_SESSION_STATE: 'is set by Troupe',
  CLAUDE_CODE_SDK_READS_STARTUP_MARKS: 'promises answers that only the outer host gives',
  'CLAUDE_CODE_SESSION_*': 'describes the outer session: its id, its token, whether somebody watches it',
  CLAUDE_CODE_SSE_PORT: 'connects to the editor of the outer session',
  CLAUDE_CODE_TMUX_SESSION: HANDED_DOWN,
  CLAUDE_CODE_API_KEY_FILE_DESCRIPTOR: DESCRIPTOR,
  CLAUDE_CODE_OAUTH_TOKEN_FILE_DESCRIPTOR: DESCRIPTOR,
  CLAUDE_CODE_WEBSOCKET_AUTH_FILE_DESCRIPTOR: DESCRIPTOR,
  CLAUDE_EFFORT: 'is the effort of the outer session',
  CLAUDE_ENV_FILE: 'is written by hooks of the outer session',
  CLAUDE_JOB_DIR: HANDED_DOWN,
  CLAUDE_PID: 'is the process id of the outer session',
  CLAUDE_PLUGIN_ROOT: 'is set for a hook of the outer session',
  CLAUDE_PROJECT_DIR: 'is set for a hook of the outer session',
  CLAUDE_SESSION_ID: HANDED_DOWN,
  TROUPE_HOST: 'names the host of an outer session of Troupe',
  TROUPE_SESSION: 'marks the processes of an outer session of Troupe',
};

const EXACT = new Set(Object.keys(NESTING_VARIABLES));
const BEGINNINGS = [...EXACT].filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1));

/** True for a variable that a session inherits from no host. */
export function isNestingVariable(name: string): boolean {
  return EXACT.has(name) || BEGINNINGS.some((beginning) => name.startsWith(beginning));
}
