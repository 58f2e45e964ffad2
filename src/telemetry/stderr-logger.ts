import { type Logger, pino } from 'pino';
import { boundedDescriptor, LogSink } from './log-sink.ts';

/** A logger on stderr, which standard output has no part of: JSON, or for a person `isPretty`. */
export async function stderrLogger(options: { level: string; isPretty: boolean; hasColors: boolean }): Promise<Logger> {
  const { level, isPretty, hasColors } = options;
  const show = isPretty ? await prettyLines(hasColors) : undefined;
  return pino({ level, base: null }, new LogSink(boundedDescriptor(2), show));
}

async function prettyLines(colorize: boolean): Promise<(line: string) => string> {
  // Only who looks at a log needs what makes it nice to look at.
  const { prettyFactory } = await import('pino-pretty');
  const pretty = prettyFactory({ colorize, singleLine: true, translateTime: 'SYS:HH:MM:ss.l' });
  return (line) => pretty(line) ?? line;
}
