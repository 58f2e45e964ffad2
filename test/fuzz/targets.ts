import type { FuzzTarget } from './target.ts';

type Load = () => Promise<{ readonly target: FuzzTarget }>;

/** Every door, by name. Each is read only when it is tried: what it needs is not what the others need. */
export const TARGETS: Readonly<Record<string, Load>> = {
  lines: () => import('./targets/lines.ts'),
  codecs: () => import('./targets/codecs.ts'),
  messages: () => import('./targets/messages.ts'),
  cursors: () => import('./targets/cursors.ts'),
  rules: () => import('./targets/rules.ts'),
  options: () => import('./targets/options.ts'),
  scenarios: () => import('./targets/scenarios.ts'),
  arguments: () => import('./targets/arguments.ts'),
  recordings: () => import('./targets/recordings.ts'),
  transcripts: () => import('./targets/transcripts.ts'),
  'store-files': () => import('./targets/store-files.ts'),
  records: () => import('./targets/records.ts'),
  sessions: () => import('./targets/sessions.ts'),
  'front-ends': () => import('./targets/front-ends.ts'),
  http: () => import('./targets/http.ts'),
  sockets: () => import('./targets/sockets.ts'),
};

export async function targetNamed(name: string): Promise<FuzzTarget> {
  const load = TARGETS[name];
  if (load === undefined) throw new Error(`There is no target ${name}. There are: ${Object.keys(TARGETS).join(', ')}`);
  return (await load()).target;
}
