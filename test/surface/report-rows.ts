import { INTERRUPTS, LIFECYCLE, LISTENERS, RESTART, TIMEOUTS } from './reports/ends.ts';
import { ARGUMENTS, CONTROL, ENVIRONMENT, FRAMING, INPUT, STARTS, TOOL_SERVERS } from './reports/pipes.ts';
import type { ReportTopic } from './reports/report-topic.ts';
import {
  ACTORS,
  ERRORS,
  FEATURES,
  LIMITS,
  LOGINS,
  OBSERVATION,
  QUEUEING,
  RATE_LIMITS,
  USAGE,
} from './reports/shares.ts';
import { CLIENTS, PERMISSIONS, SESSIONS } from './reports/talk.ts';

/** What went wrong in other hosts, topic by topic, and the tests that show that it does not here. */
export const REPORT_TOPICS: readonly ReportTopic[] = [
  STARTS,
  FRAMING,
  INPUT,
  CONTROL,
  PERMISSIONS,
  INTERRUPTS,
  LIFECYCLE,
  LISTENERS,
  TIMEOUTS,
  RESTART,
  LIMITS,
  SESSIONS,
  ACTORS,
  QUEUEING,
  CLIENTS,
  USAGE,
  RATE_LIMITS,
  ERRORS,
  LOGINS,
  ENVIRONMENT,
  ARGUMENTS,
  TOOL_SERVERS,
  OBSERVATION,
  FEATURES,
];
