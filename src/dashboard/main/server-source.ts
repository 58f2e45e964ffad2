import { signal } from '@preact/signals';
import { applyFleetEvent } from '../../view/apply-fleet-event.ts';
import { EMPTY_FLEET, type FleetView, type FleetViewEvent } from '../../view/fleet-view.ts';
import { followedStream, problemIn } from './followed-stream.ts';
import { perFrame } from './per-frame.ts';
import type { Problem, Source } from './source.ts';
import { parsed } from './told-event.ts';
import { watchedSession } from './watched-session.ts';

/** The server that the page came from. */
export function serverSource(): Source {
  const fleet = signal<FleetView>(EMPTY_FLEET);
  let newest = EMPTY_FLEET;
  const show = perFrame(() => {
    fleet.value = newest;
  });
  const stream = followedStream({
    url: () => 'v1/events',
    onFrame: ({ data }) => {
      const event = parsed<FleetViewEvent>(data);
      if (event === undefined) return;
      newest = applyFleetEvent(newest, event);
      show();
    },
  });
  return { connection: stream.connection, fleet, watch: watchedSession, ask, problemOf };
}

async function ask(method: string, path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(`v1/${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  if (!response.ok) throw refusal(await problemIn(response));
  return response.status === 204 ? undefined : response.json();
}

/** The problem travels as the cause of an error. */
function refusal(problem: Problem): Error {
  return new Error(problem.detail ?? problem.title, { cause: problem });
}

function problemOf(error: unknown): Problem {
  if (error instanceof Error && isProblem(error.cause)) return error.cause;
  const detail = error instanceof Error ? error.message : String(error);
  return { code: 'UNREACHABLE', title: 'The server did not answer.', detail };
}

function isProblem(value: unknown): value is Problem {
  return typeof value === 'object' && value !== null && 'code' in value && 'title' in value;
}
