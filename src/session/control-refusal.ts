import { TroupeError } from '../errors.ts';
import { hasFeature, sinceOf } from '../wire/features.ts';

/** What is known of who was asked. */
export interface AskedCli {
  readonly cliVersion: string | undefined;
  readonly capabilities: readonly string[];
}

/** What this release does not know is told apart from what it refuses, and silence from slowness. */
export function explainedRefusal(
  subtype: string,
  error: TroupeError,
  { cliVersion, capabilities }: AskedCli,
): TroupeError {
  const details = { ...error.details, cliVersion };
  if (error.code === 'CONTROL_REFUSED' && isUnsupported(error)) {
    const reason = `"${subtype}"${cliVersion === undefined ? '' : ` in ${cliVersion}`}.`;
    return new TroupeError('CONTROL_UNSUPPORTED', { reason, cause: error, details });
  }
  const mayBeSilent = !hasFeature(cliVersion, capabilities, 'unknownControlAnswered');
  if (error.code !== 'CONTROL_TIMEOUT' || !mayBeSilent) return error;
  // Up to 2.1.19 a request that is not known is never answered (WIRE §9).
  const reason = `${error.reason ?? ''} Claude Code ${cliVersion ?? 'of an unknown release'} may not know the request: releases before ${sinceOf('unknownControlAnswered')} do not say so.`;
  return new TroupeError('CONTROL_TIMEOUT', { reason: reason.trim(), details });
}

function isUnsupported({ details }: TroupeError): boolean {
  const { cliError, cliErrorCode } = details;
  return cliErrorCode === 'unsupported_request' || String(cliError).startsWith('Unsupported control request');
}
