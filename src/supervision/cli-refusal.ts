import { TroupeError } from '../errors.ts';
import { unsupportedOptions } from '../launch/option-support.ts';
import type { SessionOptions } from '../launch/session-options.ts';
import { stringsOf } from '../wire/fields.ts';
import { readInitializeAnswer } from '../wire/initialize-answer.ts';

/** What the release at hand would ignore is told; what it must not ignore is a reason not to use it. */
export function refusalOf(
  options: SessionOptions,
  answer: Readonly<Record<string, unknown>>,
  tell: (detail: string) => void,
): TroupeError | undefined {
  const missing = stringsOf(answer['unsupported_options']);
  if (missing.length > 0) {
    const reason = `The engine has nothing for: ${missing.join(', ')}.`;
    return new TroupeError('OPTION_UNSUPPORTED', { reason, details: { field: missing[0], options: missing } });
  }
  const { cliVersion } = readInitializeAnswer(answer);
  const unsupported = unsupportedOptions(options, cliVersion);
  for (const { option, since } of unsupported) tell(`${option} needs Claude Code ${since}`);
  const refused = unsupported.find(({ isRefused }) => isRefused);
  if (refused === undefined) return undefined;
  const { option, since } = refused;
  const reason = `"${option}" needs Claude Code ${since}; this is ${cliVersion ?? 'an older release'}.`;
  return new TroupeError('OPTION_UNSUPPORTED', { reason, details: { field: option, since, cliVersion } });
}
