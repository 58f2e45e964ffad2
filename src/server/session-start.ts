import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, resolve } from 'node:path';
import type { z } from 'zod';
import { ANSWERING_MODES, ANSWERS_IN_ADVANCE, SessionRequest } from '../api/session-request.ts';
import { TroupeError } from '../errors.ts';
import { parseSessionOptions, type SessionOptions } from '../launch/session-options.ts';
import { SESSION_OPTION_NAMES } from '../launch/session-options-schema.ts';
import type { Caller } from './access.ts';
import type { ServerSettings } from './server-options.ts';

type Rules = Pick<ServerSettings, 'roots' | 'openOptions'>;

/**
 * The options of a session out of a request: only those that are open, and only paths inside the roots. Rejects with
 * REQUEST_INVALID, OPTION_NOT_OPEN, PATH_OUTSIDE_ROOTS, SCOPE_MISSING, CWD_NOT_FOUND or INVALID_OPTIONS.
 */
export async function sessionOptionsOf(
  body: Readonly<Record<string, unknown>>,
  caller: Caller,
  rules: Rules,
): Promise<SessionOptions> {
  const [first = '.'] = rules.roots;
  return parseSessionOptions({
    cwd: await folderIn(rules.roots, first, 'cwd'),
    ...(await openOptionsOf(body, caller, rules)),
  });
}

/** What a request may change in the options of a session that is forked. Rejects as `sessionOptionsOf`. */
export async function forkOptionsOf(
  body: Readonly<Record<string, unknown>>,
  caller: Caller,
  rules: Rules,
): Promise<SessionOptions> {
  const field = DECIDED.find((name) => body[name] !== undefined);
  if (field !== undefined)
    throw new TroupeError('REQUEST_INVALID', { reason: `"${field}" is decided by the fork.`, details: { field } });
  const given = await openOptionsOf(body, caller, rules);
  // Some options stand only beside these.
  const {
    resume: _any,
    forkSession: _true,
    ...options
  } = parseSessionOptions({ ...given, resume: ANY, forkSession: true });
  return options;
}

const DECIDED = ['resume', 'continue', 'forkSession'];
const ANY = '00000000-0000-4000-8000-000000000000';

/** The options of a request, checked but for what they say together. */
async function openOptionsOf(
  body: Readonly<Record<string, unknown>>,
  caller: Caller,
  { roots, openOptions }: Rules,
): Promise<Readonly<Record<string, unknown>>> {
  const closed = Object.keys(body).find(
    (name) => !(name in SessionRequest.shape) && !openOptions.includes(name) && SESSION_OPTION_NAMES[''].includes(name),
  );
  if (closed !== undefined) throw notOpen(closed);
  const opened = Object.fromEntries(openOptions.filter((name) => name in body).map((name) => [name, body[name]]));
  const own = Object.fromEntries(Object.entries(body).filter(([name]) => !(name in opened)));
  const request = SessionRequest.safeParse(own);
  if (!request.success) throw invalidBody(request.error);
  const asked: SessionRequest = request.data;
  if (asked.permissionMode === 'bypassPermissions' && !openOptions.includes('allowDangerouslySkipPermissions'))
    throw notOpen('allowDangerouslySkipPermissions');
  assertMayAnswer(asked, caller);
  const cwd = asked.cwd === undefined ? undefined : await folderIn(roots, asked.cwd, 'cwd');
  const folders = await Promise.all(
    (asked.additionalDirectories ?? []).map((path) => folderIn(roots, path, 'additionalDirectories')),
  );
  return {
    ...asked,
    ...opened,
    ...(cwd === undefined ? {} : { cwd }),
    ...(folders.length === 0 ? {} : { additionalDirectories: folders }),
  };
}

/**
 * The real path of a folder inside one of the roots; a relative one is meant from the first. Links are followed before it is
 * compared, and what is returned holds none. Rejects with PATH_OUTSIDE_ROOTS or CWD_NOT_FOUND.
 */
export async function folderIn(roots: readonly string[], path: string, field: string): Promise<string> {
  const refuse = () => new TroupeError('PATH_OUTSIDE_ROOTS', { details: { field } });
  if (path.includes('\0')) throw refuse();
  const asked = resolve(roots[0] ?? '.', path);
  // First as it is written: of what is elsewhere a stranger must not learn whether it exists.
  if (!roots.some((root) => isInside(root, asked))) throw refuse();
  const real = await realpath(asked).catch(() => undefined);
  if (real === undefined) throw new TroupeError('CWD_NOT_FOUND', { details: { field } });
  const realRoots = await Promise.all(roots.map((root) => realpath(root).catch(() => root)));
  if (![...realRoots].some((root) => isInside(root, real))) throw refuse();
  return real;
}

function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === '' || (!isAbsolute(way) && way !== '..' && !way.startsWith('../') && !way.startsWith('..\\'));
}

/** Who may not answer questions may not have them answered in advance. */
function assertMayAnswer(asked: SessionRequest, { scopes }: Caller): void {
  if (scopes.includes('answer')) return;
  const field = ANSWERS_IN_ADVANCE.find((name) => asked[name] !== undefined);
  const mode = asked.permissionMode !== undefined && ANSWERING_MODES.includes(asked.permissionMode);
  if (field === undefined && !mode) return;
  const reason = 'It answers questions in advance.';
  throw new TroupeError('SCOPE_MISSING', { reason, details: { scope: 'answer', field: field ?? 'permissionMode' } });
}

function notOpen(field: string): TroupeError {
  return new TroupeError('OPTION_NOT_OPEN', {
    reason: `"${field}": see openOptions of the server.`,
    details: { field },
  });
}

function invalidBody(error: z.ZodError): TroupeError {
  const issue = error.issues[0];
  const path = issue?.code === 'unrecognized_keys' ? [...issue.path, ...issue.keys.slice(0, 1)] : (issue?.path ?? []);
  const field = ['body', ...path].map(String).join('.').slice(0, 500);
  const reason = issue?.code === 'unrecognized_keys' ? 'is not known here' : (issue?.message ?? 'is malformed');
  return new TroupeError('REQUEST_INVALID', { reason: `"${field}": ${reason}.`, details: { field, reason } });
}
