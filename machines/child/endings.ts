/**
 * What follows an end, in a `transient` session that was ready once. `restart-once`: a restart, but the same end again before
 * a turn was completed sets the session aside. `park`: it waits for a limit or a login; where nobody keeps its account it is set aside.
 */
export type EndingConsequence = 'stop' | 'restart' | 'restart-once' | 'quarantine' | 'park';

export interface EndingRule {
  /** How Troupe knows it. */
  readonly recognised: string;
  /** The codes of a cause that mean this ending wherever the evidence says no more. */
  readonly codes: readonly string[];
  readonly consequence: EndingConsequence;
  /** True when the restart counts against `restart.intensity`. */
  readonly isCounted: boolean;
  /** True when the restart waits for the backoff. */
  readonly hasBackoff: boolean;
  /** A process that ends so before the session was ever ready: `fails` rejects the start, `same` is no different. */
  readonly firstStart: 'fails' | 'same';
  /** What the owner can do. */
  readonly advice: string;
}

const FINAL = { consequence: 'quarantine', isCounted: false, hasBackoff: false, firstStart: 'fails' } as const;
const COUNTED = { consequence: 'restart', isCounted: true, hasBackoff: true, firstStart: 'fails' } as const;
const ASKED_FOR = { consequence: 'stop', isCounted: false, hasBackoff: false, firstStart: 'same' } as const;
const WALL = { consequence: 'park', isCounted: false, hasBackoff: false, firstStart: 'fails' } as const;

/** Every way an incarnation can end, and what it means: the one place that decides, for sessions and for groups (P8, R62). */
export const ENDINGS = {
  asked: {
    ...ASKED_FOR,
    recognised: 'Its owner, its group or the shutdown of the supervisor asked for the end; the process left in time.',
    codes: ['closed', 'ABORTED'],
    advice: 'Nothing: this is how a session ends.',
  },
  killed: {
    ...ASKED_FOR,
    recognised: '`kill()` was called, and the process tree was ended by force.',
    codes: [],
    advice: 'Nothing: the conversation can be resumed by its id.',
  },
  'host-shutdown': {
    ...ASKED_FOR,
    recognised: 'The supervisor is stopping and starts no process any more.',
    codes: ['SUPERVISOR_STOPPED'],
    advice: 'Resume the conversation under another supervisor.',
  },
  left: {
    ...COUNTED,
    recognised: 'Exit code 0 although nobody asked.',
    codes: [],
    advice: 'Look for what ended the CLI politely: SIGINT, a plugin, an `end_session` request.',
  },
  crash: {
    ...COUNTED,
    recognised: 'Any other exit code, or a signal of its own making such as SIGSEGV.',
    codes: ['CLI_EXITED'],
    advice: 'Read the words of stderr in the error; report it to the makers of the CLI when it repeats.',
  },
  'killed-from-outside': {
    ...COUNTED,
    recognised:
      'SIGKILL, SIGTERM, SIGINT, SIGHUP or SIGQUIT that Troupe did not send, or the exit code 128 + signal that the CLI or a wrapper shell makes of it, without evidence that memory was short.',
    codes: [],
    advice: 'Find who sent the signal: an operator, a service manager, a container limit that keeps no count.',
  },
  'out-of-memory': {
    ...COUNTED,
    consequence: 'restart-once',
    isCounted: false,
    recognised:
      'SIGKILL (or exit code 137) while the kernel counted an out-of-memory kill in the cgroup of the process, or a crash whose stderr says that memory ran out.',
    codes: ['OUT_OF_MEMORY'],
    advice: 'Give it more memory or run fewer sessions at once (`limits.maxSessions`), then `restart()`.',
  },
  'spawn-failed': {
    ...COUNTED,
    recognised: 'The operating system had no process, descriptor or memory to give.',
    codes: ['SPAWN_FAILED'],
    advice: 'Raise the limits of the system, or run fewer sessions.',
  },
  'start-timeout': {
    ...COUNTED,
    recognised: '`timeouts.spawnMs` or `timeouts.initializeMs` passed without a sign of life.',
    codes: ['SPAWN_TIMEOUT', 'INITIALIZE_TIMEOUT'],
    advice: 'Raise the deadline where the machine is slow; run the CLI by hand where it is not.',
  },
  stalled: {
    ...COUNTED,
    recognised: 'The watchdog saw no progress, or a turn ignored an interrupt for `timeouts.interruptMs`.',
    codes: ['STALLED', 'INTERRUPT_TIMEOUT'],
    advice: 'Look at the last events of the turn; raise the limit if it was at work.',
  },
  'protocol-fault': {
    ...COUNTED,
    consequence: 'restart-once',
    recognised: 'The CLI lives on but closed its output, or reads no input any more.',
    codes: ['CLI_INPUT_CLOSED'],
    advice: 'Report it to the makers of the CLI, with the wire log.',
  },
  'store-failed': {
    ...COUNTED,
    recognised: 'The session store did not give the conversation back.',
    codes: ['STORE_FAILED'],
    advice: 'Repair the store, then `restart()`.',
  },
  'mcp-server-missing': {
    ...COUNTED,
    recognised: 'A required MCP server failed, or was not connected within `timeouts.mcpServerMs`.',
    codes: ['MCP_SERVER_FAILED'],
    advice: 'Repair the server, or make it optional.',
  },
  unrecorded: {
    consequence: 'restart-once',
    isCounted: false,
    hasBackoff: false,
    firstStart: 'same',
    recognised:
      'A process lost before the CLI had written the conversation left nothing to resume, or left an id that is taken: the next start begins anew, or resumes.',
    codes: [],
    advice: 'Nothing: no turn was completed, so nothing is lost.',
  },
  'oversize-line': {
    ...FINAL,
    recognised: 'The CLI wrote a line longer than `limits.maxLineBytes`: it would be written again.',
    codes: ['LINE_TOO_LONG'],
    advice: 'Raise `limits.maxLineBytes`, then `restart()`.',
  },
  repeating: {
    ...FINAL,
    recognised: 'An end that is worth one restart came again before a turn was completed.',
    codes: [],
    advice: 'Remove what the first end names, then `restart()`.',
  },
  'conversation-missing': {
    ...FINAL,
    recognised: 'The CLI knows no conversation with the id it was told to resume.',
    codes: ['CONVERSATION_NOT_FOUND'],
    advice: 'Bring its transcript back, or start a new session.',
  },
  'conversation-taken': {
    ...FINAL,
    recognised: 'The id for a new conversation exists, or another session or process has the conversation open.',
    codes: ['CONVERSATION_EXISTS', 'CONVERSATION_IN_USE'],
    advice: 'Resume the conversation instead, or choose another id.',
  },
  'option-refused': {
    ...FINAL,
    recognised: 'The CLI does not know a flag, refuses its value, refuses `initialize`, or speaks another dialect.',
    codes: ['OPTION_UNSUPPORTED', 'OPTION_REFUSED', 'INVALID_OPTIONS', 'INITIALIZE_FAILED', 'DIALECT_MISMATCH'],
    advice: 'Change the option that the error names; a running session cannot: start a new one.',
  },
  'start-refused': {
    ...FINAL,
    recognised: 'The executable or the working directory is missing or unusable, or the start needs what is not there.',
    codes: ['CLI_NOT_FOUND', 'CLI_NOT_EXECUTABLE', 'CLI_WRONG_FORMAT', 'CWD_NOT_FOUND', 'ARGUMENTS_TOO_LARGE'],
    advice: 'Repair what the error names, then `restart()`.',
  },
  'no-room': {
    ...FINAL,
    recognised: 'No slot became free within `timeouts.admissionMs`, or the limits leave no room.',
    codes: ['AT_CAPACITY'],
    advice: 'Close sessions or raise the limits, then `restart()`.',
  },
  survivors: {
    ...FINAL,
    recognised: 'Processes of the session could not be ended: a new one beside them would fork the conversation.',
    codes: ['TREE_SURVIVED'],
    advice: 'End the pids that the error names, then `restart()`.',
  },
  'host-lost': {
    ...FINAL,
    recognised: 'The host was lost, and the session cannot, or is not to, go on by itself under the next one.',
    codes: ['HOST_LOST', 'RECOVERIES_USED_UP', 'RECORD_UNREADABLE', 'OPTIONS_MISSING'],
    advice:
      'Read the reason in `session.recovered`; then `restart()`, or resume its conversation with what is missing.',
  },
  auth: {
    ...WALL,
    recognised: 'The process ended, and the last word of the CLI was that the login is missing, expired or refused.',
    codes: ['NOT_LOGGED_IN'],
    advice: 'Log in again (`claude /login`, or a new key), then `restart()`.',
  },
  quota: {
    ...WALL,
    recognised: 'The process ended, and the last word of the CLI was that a limit of the account is reached.',
    codes: ['QUOTA_REACHED'],
    advice: 'Wait for the reset that the limit names.',
  },
  budget: {
    ...WALL,
    recognised: 'The money that the session or the supervisor may spend is spent.',
    codes: ['BUDGET_REACHED'],
    advice: 'Raise the budget.',
  },
} as const satisfies Readonly<Record<string, EndingRule>>;

export type Ending = keyof typeof ENDINGS;

const BY_CODE: ReadonlyMap<string, Ending> = new Map(
  endings().flatMap((ending) => ENDINGS[ending].codes.map((code): [string, Ending] => [code, ending])),
);

/** All endings, in the order of the table. */
export function endings(): readonly Ending[] {
  return Object.keys(ENDINGS).filter((name): name is Ending => Object.hasOwn(ENDINGS, name));
}

export function ruleOf(ending: Ending): EndingRule {
  return ENDINGS[ending];
}

/** What a cause with that code means; an unknown one is a start that was refused, and is not repeated. */
export function endingOf(code: string): Ending {
  return BY_CODE.get(code) ?? 'start-refused';
}

/** True for the end of an incarnation that somebody wanted: OTP's normal exit. */
export function isAskedFor(ending: Ending): boolean {
  return ruleOf(ending).consequence === 'stop';
}

/** True when a new process would only end the same way, or may not be started: nothing but its owner helps. */
export function isFinal(ending: Ending): boolean {
  const { consequence } = ruleOf(ending);
  return consequence === 'quarantine' || consequence === 'park';
}
