import { type ReportTopic, titles } from './report-topic.ts';

export const PERMISSIONS: ReportTopic = {
  topic: 'permission',
  entries: {
    R31: [
      ...titles('slow/session/permission', 'waits for its owner without a deadline, and expires into a denial'),
      ...titles('permissions/permission-desk', 'does not exist unless somebody sets one: ten minutes are nothing'),
    ],
    R32: titles('slow/session/permission', 'is answered in the shape every release takes'),
    R33: titles('slow/session/permission', 'stays open when a prompt is sent meanwhile, queued or steered'),
    R34: titles(
      'slow/session/permission',
      'answered twice has one winner, and the other learns who it was',
      'is answered only when the pipe took the answer',
    ),
    R36: titles('slow/session/permission', 'is one of many, each answered on its own, in any order, equal or not'),
    R37: [
      ...titles('slow/session/permission', 'that nobody can answer is denied at once with an explanation'),
      ...titles('slow/cli/run', 'denies tools without a terminal, says so, and does not call it a success'),
    ],
    R40: titles('slow/session/standing-permissions', 'are told once at the start when they shadow the callback'),
  },
};

export const SESSIONS: ReportTopic = {
  topic: 'session',
  entries: {
    R67: titles('slow/session/environment', 'may change: the change is told, and the newest id is the one'),
    R70: titles(
      'slow/session/lifecycle',
      'refuses to resume what lives, ends, or just learned its id, and resumes when it is gone',
    ),
    R71: titles(
      'slow/real-cli/folders',
      'sets its session aside at once, as a missing folder and not as a missing conversation',
      'goes on in another folder, or says that this release looks for it in its own',
      'is found through a link as through the folder itself',
    ),
    R72: titles('slow/session/prompts', 'are turns of their own, read between prompts, and idle means that no task'),
    R73: titles('slow/session/prompts', 'never answer a prompt in its place, with or without a lifecycle'),
  },
};

export const CLIENTS: ReportTopic = {
  topic: 'multi-client',
  entries: {
    R81: [
      ...titles(
        'store/event-log',
        'has no gap between replay and live, whenever an event falls in',
        'gives nothing twice to a cursor that is up to date',
        'tells a cursor that is older than the log what is left, and only such a one',
      ),
      ...titles(
        'store/whole-log',
        'is served from the store, then from memory, then live, without a gap and without anything twice',
        'is told first what nobody holds any more',
      ),
      ...titles('supervision/recovery', 'goes on under its id: log, epochs, usage and the results of its prompts'),
      ...titles(
        'supervision/fleet-stream',
        'goes on live; another reading goes on at its cursor',
        'tells a slow reader which events the log has dropped, and goes on behind them',
      ),
      ...titles(
        'slow/server/event-streams',
        'begins with a snapshot, tells where the replay ends, and gives the lines byte for byte',
        'begins anew for a cursor of another log, and leaves out what a filter does not want',
      ),
      ...titles('slow/server/socket', 'is refused before the upgrade: no token, a wrong one, a foreign page'),
    ],
  },
};
