import { TroupeError } from '../errors.ts';

/** What a reader of a stream wants to see. */
export interface EventFilter {
  /** Equal for equal filters: what one of them may have, all of them get. */
  readonly name: string;
  readonly passes: (type: string, kind: string | undefined) => boolean;
}

const MOST_PATTERNS = 50;
const PATTERN = /^(\*|[a-z][a-z-]*(\.[a-z-]+)*(\.\*)?)$/;

/**
 * `types`: names of event types, separated by commas; `session.*` stands for all that begin so. `partials` false leaves out the
 * pieces of messages that are being written. Throws INVALID_OPTIONS.
 */
export function eventFilter(types: string | undefined, partials: boolean): EventFilter {
  const patterns = types === undefined || types === '' ? ['*'] : types.split(',').map((one) => one.trim());
  if (patterns.length > MOST_PATTERNS || !patterns.every((one) => PATTERN.test(one))) {
    const reason = '"types" takes names of event types, such as "message,permission.*", separated by commas.';
    throw new TroupeError('INVALID_OPTIONS', { reason, details: { field: 'types' } });
  }
  const isAll = patterns.includes('*');
  const names = new Set(patterns.filter((one) => !one.endsWith('*')));
  const beginnings = patterns.filter((one) => one.endsWith('.*')).map((one) => one.slice(0, -1));
  return {
    name: `${[...patterns].sort().join(',')}|${partials}`,
    passes: (type, kind) => {
      if (kind === 'stream_event' && !partials) return false;
      return isAll || names.has(type) || beginnings.some((beginning) => type.startsWith(beginning));
    },
  };
}
