import type { TroupeClient } from '../../client/troupe-client.ts';
import { TroupeError } from '../../errors.ts';
import type { FleetPermission } from '../../view/fleet-view.ts';

/** The open questions of a server, oldest first. */
export async function openQuestions(client: TroupeClient): Promise<readonly FleetPermission[]> {
  const { permissions } = await client.ask<{ permissions: readonly AskedQuestion[] }>('/v1/permissions');
  return permissions.map(asFleetPermission);
}

/**
 * The question that is meant: by its whole id, by the id of the request where no two have it, or by its session where that has one open.
 * An id that is none of an open question is handed on: whoever answered it first is told by the server.
 */
export async function questionNamed(client: TroupeClient, name: string): Promise<string> {
  if (name.includes('~')) return name;
  const open = await openQuestions(client);
  const meant = open.filter(({ id, sessionId }) => id === name || sessionId === name);
  const [only, ...others] = meant;
  if (only !== undefined && others.length === 0) return only.globalId;
  throw new TroupeError('PERMISSION_NOT_FOUND', {
    reason:
      only === undefined
        ? `Nothing open is called "${name}": troupe inbox lists what is.`
        : `"${name}" has ${meant.length} of them; say which: ${meant.map(({ globalId }) => globalId).join(', ')}.`,
  });
}

/** As the API tells a question: `askedAt` is `requestedAt` of the view, and what is asked has the name of its kind. */
export interface AskedQuestion extends Omit<FleetPermission, 'requestedAt'> {
  readonly askedAt: number;
  readonly elicitation?: unknown;
  readonly dialog?: unknown;
}

function asFleetPermission({ askedAt, elicitation, dialog, ...question }: AskedQuestion): FleetPermission {
  return { ...question, input: elicitation ?? dialog ?? question.input, requestedAt: askedAt };
}
