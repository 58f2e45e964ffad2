import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { PlannedLaunch } from '../launch/launch-plan.ts';
import type { SessionOptions } from '../launch/session-options.ts';
import { canonicalJson } from '../permissions/canonical-json.ts';

/** They name the span at hand and change from start to start; only what the caller sets on purpose counts. */
const TRACE_VARIABLES = ['TRACEPARENT', 'TRACESTATE', 'BAGGAGE'];

/**
 * A digest of everything that reaches the process: two launches with equal keys start processes that nobody could tell apart.
 * Private files count by what is in them. The mark does not count, nor the trace, nor which conversation it is where that id
 * was made up. Rejects when such a file cannot be read.
 */
export async function launchKey(
  { plan, initialize, dialect }: PlannedLaunch,
  own: SessionOptions['env'],
  madeUpId?: string,
): Promise<string> {
  const { command, cwd, keepDescendants, stderrTailBytes } = plan;
  const isCounted = (name: string) =>
    name !== 'TROUPE_SESSION' && (!TRACE_VARIABLES.includes(name) || own?.[name] !== undefined);
  const env = Object.fromEntries(Object.entries(plan.env).filter(([name]) => isCounted(name)));
  // The last one is the folder they are in.
  const paths = plan.temporaryFiles.slice(0, -1);
  const files = await Promise.all(paths.map(async (path) => ({ path, content: await readFile(path, 'utf8') })));
  const made = madeUpId === undefined ? undefined : `--session-id=${madeUpId}`;
  const args = plan.args.map((argument) =>
    argument === made
      ? '--session-id'
      : files.reduce((text, { path, content }) => text.split(path).join(`\n${content}`), argument),
  );
  const facts = { command, args, cwd, env, keepDescendants, stderrTailBytes, initialize, dialect };
  return createHash('sha256').update(canonicalJson(facts)).digest('hex');
}
