/** Every error code Troupe raises, with the sentence that explains it. `docs/errors.md` is generated from this table. */
export const ERROR_CODES = {
  INVALID_OPTIONS: 'An option is unknown, has the wrong type, or contradicts another one.',
  INVALID_PROMPT: 'The prompt is empty or cannot be sent.',
  INVALID_ANSWER: 'The answer to a permission request is malformed.',
  ABORTED: 'The caller aborted the operation.',

  CLI_NOT_FOUND: 'The claude executable could not be found.',
  CLI_NOT_EXECUTABLE: 'The claude executable exists but may not be executed.',
  CLI_WRONG_FORMAT: 'The claude executable, or the interpreter it names, cannot run on this machine.',
  NO_CLI: 'The program is no claude CLI.',
  CWD_NOT_FOUND: 'The working directory does not exist or is not a directory.',
  ARGUMENTS_TOO_LARGE: 'The command line and environment are larger than the system allows.',
  SPAWN_FAILED: 'The operating system refused to start the CLI process.',
  SPAWN_TIMEOUT: 'The CLI process did not start within its deadline.',

  INITIALIZE_TIMEOUT: 'The CLI did not answer the initialize request within its deadline.',
  INITIALIZE_FAILED: 'The CLI refused the initialize request.',
  OPTION_UNSUPPORTED: 'This release of the CLI does not know an option that was given.',
  OPTION_REFUSED: 'The CLI refused the value of an option that was given.',
  CONVERSATION_NOT_FOUND: 'The CLI knows no conversation with this id.',
  CONVERSATION_EXISTS: 'The CLI has a conversation with this id already.',
  NOT_LOGGED_IN: 'The login of the CLI is missing, expired or refused.',
  MCP_SERVER_FAILED: 'A required MCP server did not become ready.',

  CLI_EXITED: 'The CLI process ended before the session was closed.',
  OUT_OF_MEMORY: 'The CLI process was ended because memory ran out.',
  CLI_INPUT_CLOSED: 'The CLI no longer reads its standard input.',
  DIALECT_MISMATCH: 'The program speaks another dialect of the protocol than the option `dialect` says.',
  LINE_TOO_LONG: 'The CLI wrote a line longer than limits.maxLineBytes.',
  ANCHOR_LOST: 'The CLI did not do what the drift check has to see before it goes on.',
  TREE_SURVIVED: 'A process of the session could not be ended within the kill deadline.',

  CONTROL_TIMEOUT: 'The CLI did not answer a control request within its deadline.',
  CONTROL_REFUSED: 'The CLI answered a control request with an error.',
  CONTROL_UNSUPPORTED: 'This release of the CLI does not know the control request.',
  CONTROL_ANSWER_INVALID: 'The CLI answered a control request with something else than was asked for.',
  CONTROL_LIMIT: 'Too many control requests are waiting for an answer.',

  SESSION_EXISTS: 'A session with this id is already supervised here.',
  CONVERSATION_IN_USE: 'Another session or process already has the conversation open.',
  SESSION_NOT_FOUND: 'No session with this id is supervised here.',
  SESSION_CLOSED: 'The session is closed; nothing was sent.',
  SESSION_QUARANTINED: 'The session used up its restarts and is kept aside.',
  HANDED_OVER: 'The session goes on with another supervisor of its store.',
  HOST_LOST: 'The process that ran the session was lost.',
  RECOVERIES_USED_UP: 'The session was taken up too often after a loss of its host, without a turn that ended well.',
  RECORD_UNREADABLE: 'What the store has of the session could not be read.',
  OPTIONS_MISSING: 'The session was started with options that no store can keep, and they were not given again.',
  FORK_REFUSED: 'The session cannot be forked.',
  SESSION_PARKED: 'The session is parked: it has no process, and its prompts wait.',
  ACCOUNT_NOT_FOUND: 'No session of this supervisor uses an account with this key.',
  CHILD_EXISTS: 'The group has a child with this id already.',
  CHILD_NOT_FOUND: 'The group has no child with this id.',
  CHILD_RUNNING: 'The child is running or being restarted.',
  SESSION_BUSY: 'The session is working, and what was asked for must not wait.',
  NO_PROCESS: 'The session has no running CLI process at this moment.',
  AT_CAPACITY: 'There is no room for another session.',
  BUDGET_REACHED: 'The budget is spent.',
  PROMPT_QUEUE_FULL: 'The prompt queue of the session is full.',
  PROMPT_ID_USED: 'A different prompt with this id was already accepted by the session.',
  SUPERVISOR_STOPPED: 'The supervisor is stopping or stopped and accepts no work.',

  TURN_FAILED: 'The turn ended with an error.',
  QUOTA_REACHED: 'A limit of the account is reached.',
  PROMPT_LOST: 'The process was lost while it worked on the prompt, and the CLI does not run it again.',
  TURN_OVERDUE: 'The turn took longer than timeouts.turnMs and was interrupted.',
  STALLED: 'The turn made no progress and was interrupted.',
  INTERRUPT_TIMEOUT: 'The turn did not end after an interrupt within its deadline.',
  HOOK_NOT_FOUND: 'The CLI called a hook that was never registered.',
  HOOK_TIMEOUT: 'A hook did not answer within its deadline.',
  PERMISSION_NOT_FOUND: 'No permission request with this id is known.',
  PERMISSION_SETTLED: 'The permission request was already settled.',
  STORE_FAILED: 'The session store failed or did not answer within its deadline.',
  SUBSCRIBER_LAGGED: 'The reader fell behind and missed events.',

  STORE_HELD: 'Another process writes to the store.',
  STORE_REQUIRED: 'The sessions of this supervisor last only as long as its process: there is no store.',
  STORE_TAKEN_OVER: 'Another process has taken the store over; nothing was written.',
  STORE_CONFLICT: 'The change does not follow what the store has of the session; nothing was written.',
  STORE_OVERLOADED: 'Too much waits to be written to the store.',
  STORE_FULL: 'The disk, or the size that the store may have, is used up; nothing was written.',
  STORE_READ_ONLY: 'The store may not be written to.',
  STORE_UNREACHABLE: 'The store could not be opened, read or written.',
  STORE_DAMAGED: 'The store is damaged.',
  STORE_NEWER: 'The store was written by a newer release of Troupe.',
  STORE_FOREIGN: 'The file is not a store of Troupe.',
  STORE_DRIVER_MISSING: 'There is no SQLite to open a store with.',
  STORE_CLOSED: 'The store is closed.',
  SERVER_NOT_FOUND: 'It is not known which server is meant.',
  SERVER_UNREACHABLE: 'The server did not answer.',
  SERVER_REFUSED: 'The server refused the request.',
  RECORDING_INVALID: 'The file is not a recording, or is damaged.',
  EXPORT_DAMAGED: 'The exported session is not what was written; nothing of it was taken.',

  REQUEST_INVALID: 'The request is malformed: a parameter, the body or a header is not what the route takes.',
  REQUEST_TOO_LARGE: 'The body, the address or the headers of the request are larger than the server takes.',
  REQUEST_TIMEOUT: 'The request did not arrive whole within its deadline.',
  MEDIA_TYPE_UNSUPPORTED: 'The body of the request must be application/json.',
  ROUTE_NOT_FOUND: 'The server has nothing at this address.',
  UNAUTHENTICATED: 'The request carries no token or login that the server knows.',
  SCOPE_MISSING: 'The token does not allow this.',
  FRONT_END_LIMIT: 'A front end asked for more than one connection may have.',
  HOST_REFUSED: 'The request names a host that this server does not answer for.',
  ORIGIN_REFUSED: 'The request comes from a page of another origin.',
  RATE_LIMITED: 'There were too many requests that could not be let in.',
  OPTION_NOT_OPEN: 'This option of a session cannot be given over HTTP unless the server opens it.',
  PATH_OUTSIDE_ROOTS: 'The path is not inside the folders that the server opens.',
  PROMPT_NOT_FOUND: 'The session knows no prompt with this id.',
  IDEMPOTENCY_KEY_USED: 'A different request with this Idempotency-Key was already accepted.',
  TOKEN_FILE_UNSAFE: 'The file of tokens cannot be used: others may read it, or it holds something else.',
  SERVER_CLOSING: 'The server is closing and takes no more requests.',
  SERVER_FAULT: 'The server failed in a way that it does not know; its log tells more.',
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

export interface TroupeErrorOptions {
  /** What exactly happened this time; appended to the sentence of the code. */
  readonly reason?: string | undefined;
  readonly cause?: unknown;
  /** Facts for programs: the field, the limit, the pid, the exit code … JSON only, never secrets. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

const BRAND = Symbol.for('troupe.error');

/** The one error class. Switch on `code`, never on text; `details` holds the facts, `cause` the origin. */
export class TroupeError extends Error {
  override readonly name = 'TroupeError';
  readonly code: ErrorCode;
  /** What exactly happened this time, without the sentence of the code. */
  readonly reason: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;
  readonly [BRAND] = true;

  constructor(code: ErrorCode, options: TroupeErrorOptions = {}) {
    const message = options.reason === undefined ? ERROR_CODES[code] : `${ERROR_CODES[code]} ${options.reason}`;
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.reason = options.reason;
    this.details = options.details ?? {};
  }

  /** True for a TroupeError of any copy of this package, where `instanceof` would fail. */
  static is(value: unknown): value is TroupeError {
    return typeof value === 'object' && value !== null && BRAND in value;
  }

  toJSON(): { name: string; code: ErrorCode; message: string; details: Readonly<Record<string, unknown>> } {
    return { name: this.name, code: this.code, message: this.message, details: this.details };
  }
}
