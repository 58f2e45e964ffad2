import { TroupeError } from '../errors.ts';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** What the log has parts for: the first word of the name of an event. */
export const LOG_COMPONENTS = [
  'account',
  'budget',
  'diagnostic',
  'drain',
  'group',
  'hook',
  'log',
  'mcp',
  'message',
  'orphan',
  'permission',
  'pool',
  'prompt',
  'quota',
  'session',
  'stderr',
  'store',
  'supervisor',
  'turn',
  'watchdog',
] as const;

/** From which level on something is logged, as a whole and by component. */
export interface LogLevels {
  readonly general: LogLevel;
  readonly components: ReadonlyMap<string, LogLevel>;
}

/** Reads `info`, or `info,permission=debug,store=warn`. Throws INVALID_OPTIONS with what is wrong with it. */
export function readLogLevels(text: string): LogLevels {
  let general: LogLevel = 'info';
  const components = new Map<string, LogLevel>();
  for (const part of text.split(',').map((piece) => piece.trim())) {
    const [name = '', level] = part.split('=');
    if (level === undefined) general = levelOf(name, part);
    else if (LOG_COMPONENTS.some((known) => known === name)) components.set(name, levelOf(level, part));
    else throw refusal(part, `there is no part "${name}" of the log: ${LOG_COMPONENTS.join(', ')}`);
  }
  return { general, components };
}

/** The lowest level that anything is logged with. */
export function lowestOf({ general, components }: LogLevels): LogLevel {
  const wanted = [general, ...components.values()];
  return LOG_LEVELS.find((level) => wanted.includes(level)) ?? general;
}

/** Whether a line of this level is wanted of the component. */
export function isWanted({ general, components }: LogLevels, component: string, level: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(components.get(component) ?? general);
}

function levelOf(word: string, part: string): LogLevel {
  const level = LOG_LEVELS.find((known) => known === word);
  if (level === undefined) throw refusal(part, `a level is one of ${LOG_LEVELS.join(', ')}`);
  return level;
}

function refusal(part: string, why: string): TroupeError {
  return new TroupeError('INVALID_OPTIONS', { reason: `Log level "${part}": ${why}.`, details: { field: 'logLevel' } });
}
