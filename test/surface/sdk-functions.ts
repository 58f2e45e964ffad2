import type { Row } from './row.ts';

const ON_DISK = 'test/slow/conversations/official.test.ts';
const READ_BY_CLI: Row = {
  missing:
    'Which settings are in force is for the release of the CLI to say: session.getSettings() asks it. A second reading of the same files here would differ from it sooner or later.',
};
const WORDS_OF_ERRORS: Row = {
  missing:
    'Beginnings of sentences that change with each release. Limits are told as data here: session.rateLimits() and the error of a turn.',
};
const OTHER_PRODUCT = (what: string): Row => ({ missing: `${what}: no part of running a CLI as a subprocess.` });

/** What the official SDK 0.3.332 exports besides types, name by name. */
export const FUNCTIONS: Readonly<Record<string, Row>> = {
  query: ['test/slow/official-sdk/programs.test.ts', 'says, asks the model and ends the same'],
  startup: ['test/slow/official-sdk/programs.test.ts', 'says, asks the model and ends the same'],
  prewarm: {
    missing:
      'Marked as alpha there: a process that is parked without a conversation or folder and claimed later by any options. supervisor.prewarm(options) keeps processes for starts with equal options; startup() has one ready for a query.',
  },
  tool: ['test/mcp/tool.test.ts', 'is listed with its description, its schema and its annotations'],
  createSdkMcpServer: ['test/mcp/tool.test.ts', 'the server has instructions and a timeout'],
  listSessions: [ON_DISK, 'conversations of all working trees'],
  getSessionInfo: [ON_DISK, 'titles, tags, archives'],
  getSessionMessages: [ON_DISK, 'an interrupted turn, a compaction, what follows it'],
  listSubagents: [ON_DISK, 'text, thinking, parallel tools, a subagent'],
  getSubagentMessages: [ON_DISK, 'text, thinking, parallel tools, a subagent'],
  forkSession: [ON_DISK, 'a fork: the same messages under new ids'],
  renameSession: [ON_DISK, 'titles, tags, archives'],
  tagSession: [ON_DISK, 'titles, tags, archives'],
  archiveSession: [ON_DISK, 'titles, tags, archives'],
  unarchiveSession: [ON_DISK, 'titles, tags, archives'],
  deleteSession: [ON_DISK, 'a deletion: transcript and subagents are gone'],
  importSessionToStore: [
    'test/conversations/import-session.test.ts',
    'brings all lines in order, its subagents and what is known of them',
  ],
  foldSessionSummary: [
    'test/conversations/session-summary.test.ts',
    'is after every batch what the official SDK makes of it',
  ],
  InMemorySessionStore: [
    'test/testing/session-store-conformance.test.ts',
    'keeps a line with a uuid once, however often it comes',
  ],
  resolveSettings: READ_BY_CLI,
  filterEscalatingDefaultMode: READ_BY_CLI,
  matchDeniedModels: READ_BY_CLI,
  AbortError: ['test/slow/official-sdk/programs.test.ts', 'says, asks the model and ends the same'],
  HOOK_EVENTS: ['test/surface/sdk-functions.test.ts', 'has the values of the official SDK'],
  BUILTIN_TOOL_NAMES: ['test/surface/sdk-functions.test.ts', 'has the values of the official SDK'],
  EXIT_REASONS: ['test/surface/sdk-functions.test.ts', 'has the values of the official SDK'],
  LEGACY_TOOL_NAME_ALIASES: ['test/surface/sdk-functions.test.ts', 'has the values of the official SDK'],
  SYSTEM_PROMPT_DYNAMIC_BOUNDARY: ['test/surface/sdk-functions.test.ts', 'has the values of the official SDK'],
  ORG_POLICY_LIMIT_PREFIXES: WORDS_OF_ERRORS,
  USAGE_LIMIT_ERROR_PREFIXES: WORDS_OF_ERRORS,
  USAGE_TRANSITION_PREFIXES: WORDS_OF_ERRORS,
  USAGE_WARNING_PREFIXES: WORDS_OF_ERRORS,
  CommandMatcher: OTHER_PRODUCT('Suggestions while a person types a command'),
  FileIndex: OTHER_PRODUCT('Suggestions while a person types a file name'),
  DirectConnectError: OTHER_PRODUCT('A connection to a remote server of sessions'),
  DirectConnectTransport: OTHER_PRODUCT('A connection to a remote server of sessions'),
  parseDirectConnectUrl: OTHER_PRODUCT('A connection to a remote server of sessions'),
};
