import { type ReportTopic, titles } from './report-topic.ts';

const LIFECYCLE_FILE = 'slow/session/lifecycle';
const INTERRUPT_FILE = 'slow/session/interrupt';
const TRANSPORT_FILE = 'slow/transport/subprocess-transport';

export const INTERRUPTS: ReportTopic = {
  topic: 'interrupt',
  entries: {
    R41: [
      ...titles(INTERRUPT_FILE, 'that is never answered ends at its deadline'),
      ...titles(
        'machines/session-turns',
        'escalates to SIGTERM when the CLI accepts an interrupt and does nothing',
        'does not restart its deadline with a second interrupt',
      ),
    ],
    R42: [
      ...titles(
        INTERRUPT_FILE,
        'before the process is ready takes the prompt back',
        'right after the prompt was written waits for the turn and stops it',
        'between the start and the first frame of the turn stops it',
        'after the result says that there was nothing to stop',
      ),
      ...titles('slow/real-cli/interrupts', 'of nobody brings no result, and the next prompt runs'),
    ],
    R43: [
      ...titles(
        INTERRUPT_FILE,
        'is an outcome, no failure: no error, no restart, also while a tool runs or has just ended',
      ),
      ...titles('session/prompt-ledger', 'is an interruption and no error, whatever the diagnostic says'),
      ...titles(
        'slow/real-cli/interrupts',
        'ends a streaming turn with one result that names the reason',
        'ends a running shell with everything it started, and tells its task stopped',
      ),
    ],
    R45: titles(INTERRUPT_FILE, 'that is acknowledged while the work goes on is no stop until the process is gone'),
  },
};

export const LIFECYCLE: ReportTopic = {
  topic: 'lifecycle',
  entries: {
    R47: titles(LIFECYCLE_FILE, 'is the result, even when the process then sleeps for ever'),
    R49: [
      ...titles('slow/supervision/orphans', 'what a killed host left behind'),
      ...titles('slow/supervision/host-loss', 'a host with onHostLost: end'),
      ...titles('slow/real-cli/lost-host', 'the real CLI whose host was killed'),
      ...titles('transport/orphans', 'who is an orphan'),
    ],
    R50: [
      ...titles(LIFECYCLE_FILE, 'is gone when close resolves while', 'is gone when a start is aborted'),
      ...titles(
        TRANSPORT_FILE,
        'ends the whole tree, whatever group, session or parent its members have',
        'ends what a process left behind that was killed before',
      ),
      ...titles('slow/real-cli/ends', 'ends a tool, a turn and an open question with the session'),
    ],
    R52: [
      ...titles(TRANSPORT_FILE, 'ends a process that ignores SIGTERM, SIGINT and the end of its input'),
      ...titles(
        LIFECYCLE_FILE,
        'of 50 stubborn sessions ends in about the time of one',
        'kills what is left after its own deadline',
      ),
    ],
    R53: [
      ...titles(
        LIFECYCLE_FILE,
        'by break or by a throw reaps the process of a query',
        'with a signal that fired before starts nothing',
        'is gone when a start is aborted',
        'by the end of an await using block reaps everything',
        'from inside the loop over the own turn ends the loop',
        'twice, by close and by kill, settles everybody once',
      ),
      ...titles('slow/session/query', 'that is left while it waits for a message ends at once'),
      ...titles('slow/session/framing', 'comes after everything that was written before the exit'),
    ],
    R55: titles(
      LIFECYCLE_FILE,
      'refuses a second start with the same session id, also at the same moment',
      'refuses to resume what lives, ends, or just learned its id, and resumes when it is gone',
    ),
  },
};

export const LISTENERS: ReportTopic = {
  topic: 'listeners',
  entries: {
    R60: titles(
      'slow/supervision/footprint',
      'is a constant number of process listeners for 100 sessions, and no warning',
      'does not grow with the turns of a session that share one signal',
    ),
  },
};

export const TIMEOUTS: ReportTopic = {
  topic: 'timeouts',
  entries: {
    R61: [
      ...titles(
        'session/stalls',
        'is caught when it falls silent after the result of a tool',
        'says something every 10 seconds for 30 minutes under a limit of 60 seconds',
        'waits two days for an approval',
        'runs a tool for 40 minutes without a frame',
        'is warned of, interrupted, and its process replaced with the conversation resumed',
      ),
      ...titles(
        'slow/session/watchdog',
        'is warned of and interrupted; who ignores that loses the whole tree, and the conversation goes on',
        'is interrupted and keeps its process, when the CLI obeys',
        'waits for a tool that says nothing longer than the model may be silent',
        'warns of a turn only when it was silent for long enough while the host ran',
      ),
      ...titles(
        'slow/real-cli/watchdog',
        'warns of a model that says nothing, interrupts it, and the same process takes the next prompt',
        'waits for a shell longer than the model may be silent',
      ),
      ...titles(
        'slow/supervision/restart',
        'stops a silent turn, names itself, and leaves the session usable',
        'ends a process that closed its output and does not even obey the interrupt',
      ),
    ],
  },
};

export const RESTART: ReportTopic = {
  topic: 'restart',
  entries: {
    R62: [
      ...titles(
        'slow/supervision/restart',
        'does not burn restarts: a conversation that is gone sets the session aside at once',
        'of the framing names size and limit and is not repeated',
        'ends in quarantine, which refuses prompts and says how to go on',
        'is no crash when a temporary session ends: it is over and removable',
      ),
      ...titles('machines/endings', '%s, does what the table says'),
      ...titles('machines/child', 'is the shortest again after an incarnation that was healthy long enough'),
      ...titles('slow/session/commands', 'with exit code 0 that nobody asked for, a transient session is restarted'),
    ],
  },
};
