import type { DialectOption } from '../wire/dialect.ts';
import { engineArguments, engineIssues, enginePayload } from './engine-launch.ts';
import { initializePayload } from './initialize-payload.ts';
import { type LaunchContext, launchArguments } from './launch-arguments.ts';
import { invalidOptions } from './option-issue.ts';
import { printArguments } from './print-arguments.ts';
import type { SessionOptions } from './session-options.ts';

/** How a process is started that speaks the dialect. */
const ARGUMENTS: Readonly<Record<DialectOption, (options: SessionOptions, context: LaunchContext) => string[]>> = {
  auto: launchArguments,
  'stream-json': launchArguments,
  'stream-json-sdk-control': launchArguments,
  print: printArguments,
  'json-rpc': engineArguments,
};

/** The command line for the dialect of the options, pure. Throws INVALID_OPTIONS for what the dialect cannot be started with. */
export function dialectArguments(options: SessionOptions, context: LaunchContext): string[] {
  const issues = engineIssues(options);
  if (issues.length > 0) throw invalidOptions(issues);
  return ARGUMENTS[options.dialect ?? 'auto'](options, context);
}

/** The fields of the first request in the dialect of the options, pure. `resume`: the conversation of a restart. */
export function dialectPayload(options: SessionOptions, resume: string | undefined): Record<string, unknown> {
  return options.dialect === 'json-rpc' ? enginePayload(options, resume) : initializePayload(options);
}
