import { type ReportTopic, titles } from './report-topic.ts';

export const LIMITS: ReportTopic = {
  topic: 'limits',
  entries: {
    R64: [
      ...titles(
        'supervision/idle-eviction',
        'is admitted in the place of the one used longest ago, whose next prompt goes on with its conversation',
        'is refused after its deadline where nobody may be evicted, and nobody is',
        'holds no slot: hibernated, or set aside',
      ),
      ...titles(
        'slow/supervision/limits',
        'refuses with AT_CAPACITY after its deadline, and a slot that is given back is taken',
        'leaks no slot to starts that fail, are refused, or are aborted while they wait or start',
      ),
    ],
    R65: [
      ...titles(
        'supervision/admission',
        'rejects at once and gives the place to the next; the rest run in order; all is idle in the end',
      ),
      ...titles('slow/supervision/limits', 'lets aborted waiters go at once, with their reason'),
    ],
  },
};

export const QUEUEING: ReportTopic = {
  topic: 'queueing',
  entries: {
    R79: [
      ...titles(
        'slow/session/prompts',
        'wait in order; one taken back touches no other; every one ends once',
        'may be refused, may steer the running turn, may replace it',
        'run after an interrupt, or are taken back with it, as its receipt says',
        'sent at the instant of a result run all the same',
      ),
      ...titles('slow/supervision/restart', 'keeps a prompt that waited through the crashes'),
      ...titles('slow/session/interrupt', 'names the prompts that waited, also one that has %s'),
      ...titles('slow/real-cli/interrupts', 'lets a prompt that the CLI holds run on'),
    ],
  },
};

export const RATE_LIMITS: ReportTopic = {
  topic: 'ratelimit',
  entries: {
    R86: [
      ...titles(
        'machines/account',
        'is waited for until the reset that was told, and a little longer',
        'is met by one session alone, and the others follow one after the other',
        'whose reset %s is waited for with a growing, bounded delay',
      ),
      ...titles('machines/child-parked', 'has its process ended, and no restart is counted'),
      ...titles('supervision/parked-sessions', 'takes prompts, says until when it waits, and runs them afterwards'),
      ...titles(
        'supervision/quota-walls',
        'is told once, tried by one session after the reset, and then the others follow',
        '%s is tried after a bounded wait',
        'of older releases tells its reset in the text',
        'is not waited for where that is switched off',
      ),
      ...titles('slow/supervision/walls', 'six processes meet one wall'),
      ...titles(
        'machines/account-property',
        'has one session try at a time, none before the reset, and in the end lets everybody go on',
      ),
      ...titles(
        'supervision/quota-property',
        'sends nothing before the reset, has one session try at a time, and ends every prompt once',
      ),
      ...titles('slow/real-cli/quota', 'parks the session, and lets the prompt complete once it is over'),
    ],
  },
};

export const LOGINS: ReportTopic = {
  topic: 'auth',
  entries: {
    R89: [
      ...titles('slow/supervision/limits', 'starts no more at a time than it may'),
      ...titles(
        'machines/account',
        'locks the account, told once, until the credentials are other ones; then one tries first',
      ),
      ...titles('machines/child-parked', 'is not set aside by a cause that would be permanent'),
      ...titles('session/exit-cause', 'is the login when that was the last word of the CLI'),
      ...titles(
        'supervision/lost-login',
        'is told once, burns no restart, holds new starts back, and ends when somebody has logged in',
      ),
      ...titles('slow/supervision/walls', 'twenty start in the same second and half have lost their login'),
    ],
  },
};

export const USAGE: ReportTopic = {
  topic: 'usage',
  entries: {
    R84: [
      ...titles(
        'session/cost-meter',
        'adds what each turn added to the running total, over a restart',
        'starts again where the total fell without a restart',
      ),
      ...titles('slow/session/prompts', 'add up the cost as rises of a running total, also over a restart'),
    ],
  },
};

export const ERRORS: ReportTopic = {
  topic: 'errors',
  entries: {
    R88: [
      ...titles('slow/session/prompts', 'fail by is_error, whatever their subtype says; no result at all is a failure'),
      ...titles('slow/session/query', 'throws after the result of a failed last turn'),
      ...titles('slow/real-cli/conversation', 'reports API error %i as a failed turn, never as an answer'),
    ],
  },
};

export const ACTORS: ReportTopic = {
  topic: 'actors',
  entries: {
    R76: [
      ...titles(
        'machines/restored-states',
        'every machine comes back, or belongs to what is gone with the host',
        'has an answer for every state of its machine',
        'goes on in the state that is promised for the one it was lost in, early and late',
        'is the same over three more hosts that did nothing with it',
        'is in no trap: from each it can reach its goals',
        'has every wait end at the moment it was to end, or at once when that has passed',
      ),
      ...titles('machines/restored-child', 'waits what is left of its backoff, to the absolute moment'),
    ],
    R77: titles(
      'slow/supervision/footprint',
      'returns to its base after 300 short sessions, some of which fail in each phase',
      'of a closed session that is still held is small',
    ),
  },
};

export const OBSERVATION: ReportTopic = {
  topic: 'observability',
  entries: {
    R100: [
      ...titles(
        'slow/session/environment',
        'is heard to its last line although the callback throws, and its tail explains the end',
        'of 10 MB costs a bounded amount and holds nothing up',
        'and every other observer that throws harms nobody',
      ),
      ...titles('slow/transport/subprocess-transport', 'tells all lines of stderr to a listener that throws'),
    ],
    R101: {
      missing: 'Metrics and spans of ours come with the server; what a caller traces goes to the CLI (client.test.ts).',
    },
  },
};

export const FEATURES: ReportTopic = {
  topic: 'feature',
  entries: {
    R102: [
      ...titles(
        'supervision/prewarm',
        'takes its process and is ready without another one, and the callbacks are its own',
        'is followed by another process for the next one, and two starts at once never share one',
        'takes none that differs in anything the process was told',
        'is not handed out when it died at the very moment',
        'is replaced by a fresh one after its time',
        'never are more than there are',
        'is that of its processes: seen gone when the supervisor is down',
      ),
      ...titles('slow/real-cli/prewarm', 'serves the start that takes it', 'that was killed is not handed out'),
    ],
    R103: [
      ...titles('conversations/list-sessions', 'listing conversations', 'reads around a corrupt line'),
      ...titles('conversations/fork-session', 'forking a conversation'),
      ...titles('conversations/read-messages', 'the messages of a conversation'),
      ...titles('slow/conversations/official', 'transcripts of the real CLI are read as the official SDK reads them'),
    ],
  },
};
