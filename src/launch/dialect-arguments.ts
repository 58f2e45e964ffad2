import type { DialectOption } from '../wire/dialect.ts';
import { type LaunchContext, launchArguments } from './launch-arguments.ts';
import type { SessionOptions } from './session-options.ts';

/** How a process is started that speaks the dialect. */
const ARGUMENTS: Readonly<Record<DialectOption, (options: SessionOptions, context: LaunchContext) => string[]>> = {
  auto: launchArguments,
  'stream-json': launchArguments,
  'stream-json-sdk-control': launchArguments,
  print: launchArguments,
  'json-rpc': launchArguments,
};

/** The command line for the dialect of the options, pure. */
export function dialectArguments(options: SessionOptions, context: LaunchContext): string[] {
  return ARGUMENTS[options.dialect ?? 'auto'](options, context);
}
