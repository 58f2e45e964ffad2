import type { TroupeClient } from '../../client/troupe-client.ts';
import { TroupeError } from '../../errors.ts';
import type { Explanation } from '../../session/explanation.ts';
import type { SupervisorExplanation } from '../../supervision/supervisor-explanation.ts';
import type { SessionSummary } from '../../view/fleet-view.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { jsonLine } from '../json-line.ts';
import { write } from '../output.ts';
import { plainLine } from '../terminal/plain-text.ts';
import { styleOf } from '../terminal/style.ts';
import { explainFleetText, explainText } from './explain-text.ts';
import { fleetTable } from './fleet-table.ts';

interface JsonFlag {
  readonly json?: true;
}

/** The server answers when it is done. */
const ACTION_WAIT_MS = 120_000;
const DRAIN_LOOK_MS = 500;

/** A row for each session, or a line of JSON. */
export async function listSessions(client: TroupeClient, { json }: JsonFlag): Promise<ExitCode> {
  const all: SessionSummary[] = [];
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const page: { sessions: readonly SessionSummary[]; next?: string } = await client.sessions({
      limit: 500,
      ...(cursor === undefined ? {} : { cursor }),
    });
    all.push(...page.sessions);
    cursor = page.next;
  }
  if (json === true) for (const session of all) await write(jsonLine(session));
  else if (all.length === 0) await write('The server has no session.\n');
  else await write(`${fleetTable(all, { style: styleOf(process.stdout), now: Date.now(), ...width() }).join('\n')}\n`);
  return EXIT.done;
}

export async function explain(client: TroupeClient, id: string | undefined, { json }: JsonFlag): Promise<ExitCode> {
  const shown = { style: styleOf(process.stdout), now: Date.now() };
  if (id === undefined) {
    const { explanation } = await client.ask<{ explanation: SupervisorExplanation }>('/v1/supervisor');
    await write(json === true ? jsonLine(explanation) : `${explainFleetText(explanation, shown).join('\n')}\n`);
  } else {
    const told = await client.ask<Explanation>(pathOf(id, 'explain'));
    await write(json === true ? jsonLine(told) : `${explainText(told, shown).join('\n')}\n`);
  }
  return EXIT.done;
}

export async function interrupt(
  client: TroupeClient,
  id: string,
  { json, cancelQueued }: JsonFlag & { readonly cancelQueued?: true },
): Promise<ExitCode> {
  const receipt = await client.ask<{ cancelled?: readonly unknown[]; stillQueued?: readonly unknown[] }>(
    pathOf(id, 'interrupt'),
    { method: 'POST', body: cancelQueued === true ? { cancelQueued } : {}, waitMs: ACTION_WAIT_MS },
  );
  const left = receipt.stillQueued?.length ?? 0;
  await write(
    json === true
      ? jsonLine({ type: 'session.interrupted', sessionId: id, ...receipt })
      : `Interrupted: ${plainLine(id)}${left === 0 ? '' : `; prompts that still wait: ${left}`}.\n`,
  );
  return EXIT.done;
}

/** Ends a session, in order or by force. */
export async function stop(
  client: TroupeClient,
  id: string,
  { json, kill }: JsonFlag & { readonly kill?: true },
): Promise<ExitCode> {
  const answer = await client.ask<{ ended?: { reason: string } }>(pathOf(id, kill === true ? 'kill' : 'close'), {
    method: 'POST',
    body: {},
    waitMs: ACTION_WAIT_MS,
  });
  const reason = answer.ended?.reason;
  if (json === true) await write(jsonLine({ type: 'session.stopped', sessionId: id, ...answer }));
  else if (reason !== undefined) await write(`Ended: ${plainLine(id)} (${plainLine(reason)}).\n`);
  else await write(`${plainLine(id)} is asked to end and still at work: troupe explain ${plainLine(id)} says why.\n`);
  return EXIT.done;
}

/** Has the server end everything in order, and waits until it is gone. */
export async function drain(
  client: TroupeClient,
  { json, timeout, wait }: JsonFlag & { readonly timeout?: number; readonly wait?: boolean },
): Promise<ExitCode> {
  const body = timeout === undefined ? {} : { timeoutMs: timeout * 1000 };
  const told = await client.ask<SupervisorExplanation>('/v1/drain', { method: 'POST', body });
  let phase = '';
  const show = async (now: SupervisorExplanation) => {
    if (now.phase === phase) return;
    phase = now.phase;
    await write(json === true ? jsonLine(now) : `${plainLine(now.phase)}: ${plainLine(now.because)}\n`);
  };
  await show(told);
  while (wait !== false) {
    const now = await client.ask<{ explanation: SupervisorExplanation }>('/v1/supervisor').catch(unlessAway);
    // It goes away when it is done.
    if (now === undefined) break;
    await show(now.explanation);
    await new Promise((resolve) => setTimeout(resolve, DRAIN_LOOK_MS));
  }
  return EXIT.done;
}

function unlessAway(error: unknown): undefined {
  if (TroupeError.is(error) && (error.code === 'SERVER_UNREACHABLE' || error.code === 'SERVER_CLOSING'))
    return undefined;
  throw error;
}

function pathOf(id: string, action: string): string {
  return `/v1/sessions/${encodeURIComponent(id)}/${action}`;
}

function width(): { readonly columns?: number } {
  const { columns } = process.stdout;
  return columns === undefined ? {} : { columns };
}
