import type { Client, ClientPrompt } from './client.ts';
import type { Executions } from './executions.ts';
import type { ShownEvent } from './host-program.ts';
import { canonical } from './seen-logs.ts';

/** What is left when everything has ended. */
export interface Evidence {
  readonly client: Client;
  readonly executions: Executions;
  /** What the store holds, read by a program of its own, in order. */
  readonly stored: ReadonlyMap<string, readonly ShownEvent[]>;
  /** How often a host was lost: as often a prompt may have been begun anew where that is its policy. */
  readonly losses: number;
  /** The fake CLI tells which turns it completed, the real one only which tools it ran. */
  readonly tellsTurns: boolean;
}

/** Everything that is not as promised: nothing lost, nothing twice, nothing invented (P2, P4, P7). */
export function faultsOf(evidence: Evidence): string[] {
  const { client, executions } = evidence;
  return [
    ...client.failures,
    ...client.prompts.flatMap((prompt) => promptFaults(prompt, evidence)),
    ...executions.strange.map((text) => `A CLI was given what nobody sent: ${text}`),
    ...executions.violations.map((text) => `A CLI complains of its host: ${text}`),
    ...decisionFaults(evidence),
    ...client.sessions.flatMap(({ id }) => logFaults(id, evidence)),
    ...costFaults(evidence),
    ...client.fleet.filter(({ type }) => type === 'orphan.survived').map((event) => JSON.stringify(event)),
  ];
}

function promptFaults(prompt: ClientPrompt, evidence: Evidence): string[] {
  const { token, promptId, sessionId, onPromptLost, task, isAccepted, sentIn, outcomes } = prompt;
  const log = evidence.stored.get(sessionId) ?? [];
  const about = (type: string) => log.filter((event) => event.type === type && event['promptId'] === promptId);
  const ends = about('prompt.ended').map(({ outcome }) => String(outcome));
  const accepted = about('prompt.accepted').length;
  const [outcome] = ends;
  const faults: string[] = [];
  const expect = (isSo: boolean, fault: string): void => {
    if (!isSo) faults.push(`${task} ${token} (${onPromptLost}): ${fault}`);
  };
  const turns = evidence.executions.turns.get(token) ?? 0;
  const tools = evidence.executions.tools.get(token) ?? 0;
  expect(!isAccepted || accepted === 1, `acknowledged, and ${accepted} times accepted in the log`);
  expect(accepted <= 1, `${accepted} times accepted`);
  expect(ends.length === accepted, `accepted ${accepted} times, ended ${ends.length} times: ${ends.join(', ')}`);
  for (const told of outcomes) expect(told === outcome, `told as ${told}, in the log as ${ends.join(', ')}`);
  expect(outcome !== 'failed' && outcome !== 'cancelled' && outcome !== 'interrupted', `ended as ${outcome}`);
  expect(outcome !== 'lost' || onPromptLost !== 'retry', 'lost against its policy');
  expect(accepted === 1 || turns + tools === 0, 'run, and never accepted');
  expect(sentIn !== undefined || turns + tools === 0, 'run, and never sent');
  const most = mostRuns(prompt, evidence.losses);
  expect(turns <= most, `${turns} turns completed, at most ${most} may be`);
  expect(tools <= most, `its tool ran ${tools} times, at most ${most} may be`);
  if (outcome !== 'completed') return faults;
  if (evidence.tellsTurns) expect(turns >= 1, 'completed, and no turn of it was');
  if (task === 'ask' && prompt.decision === 'deny') expect(tools === 0, 'denied, and its tool ran');
  if (task === 'act' || (task === 'ask' && prompt.decision === 'allow'))
    expect(tools >= 1, 'completed, and its tool never ran');
  return faults;
}

/** How often a prompt may be worked through, by its policy. */
function mostRuns({ onPromptLost, retries }: ClientPrompt, losses: number): number {
  if (onPromptLost === 'retry') return 1 + losses;
  return onPromptLost === 'ask' ? 1 + retries : 1;
}

/** Every answer that a CLI got is one the client gave, and each was applied once; each that was acknowledged is in the log. */
function decisionFaults({ client, executions, stored }: Evidence): string[] {
  const faults: string[] = [];
  const made = [...client.decisions.values()];
  const applied = new Map<string, number>();
  for (const { token, nonce, behavior } of executions.decisions) {
    const decision = made.find((candidate) => candidate.nonce === nonce && candidate.wasSent);
    applied.set(nonce, (applied.get(nonce) ?? 0) + 1);
    if (decision?.token !== token || decision.behavior !== behavior)
      faults.push(`A CLI was told "${behavior}" about ${token} (${nonce}), which nobody decided.`);
  }
  for (const [nonce, times] of applied) if (times > 1) faults.push(`The decision ${nonce} was applied ${times} times.`);
  const settled = new Map<string, ShownEvent[]>();
  for (const event of [...stored.values()].flat()) {
    if (event.type !== 'permission.settled') continue;
    const requestId = String(event['requestId']);
    settled.set(requestId, [...(settled.get(requestId) ?? []), event]);
  }
  for (const [requestId, events] of settled) {
    const words = events.map(({ outcome, by }) => `${String(outcome)} by ${String(by)}`);
    if (events.length > 1) faults.push(`The question ${requestId} was settled ${words.join(', then ')}.`);
    const decision = client.decisions.get(requestId);
    const isDecided = events.some(({ outcome }) => outcome === 'allowed' || outcome === 'denied');
    if (isDecided && decision?.wasSent !== true) faults.push(`${requestId}: ${words.join()}, and nobody decided.`);
  }
  for (const { requestId, nonce, behavior, isAnswered } of made) {
    const outcomes = (settled.get(requestId) ?? []).map(({ outcome }) => outcome);
    const isKept = outcomes.includes(behavior === 'allow' ? 'allowed' : 'denied');
    if (isAnswered && !isKept)
      faults.push(`${nonce} was acknowledged, and the log says ${outcomes.join() || 'nothing'}.`);
  }
  return faults;
}

/** Dense from 1, and equal to everything that anybody was told. */
function logFaults(id: string, { client, stored }: Evidence): string[] {
  const log = stored.get(id) ?? [];
  const faults: string[] = [];
  log.forEach(({ seq }, index) => {
    if (seq !== index + 1) faults.push(`In the store of ${id}, ${seq} stands at ${index + 1}.`);
  });
  const bySeq = new Map(log.map((event) => [event.seq, event]));
  for (const [seq, seen] of client.logs.of(id)) {
    const kept = bySeq.get(seq);
    if (kept === undefined)
      faults.push(`Somebody saw the event ${seq} of ${id}, ${seen.type}, and the store has none.`);
    else if (canonical(kept) !== canonical(seen))
      faults.push(`The event ${seq} of ${id} was seen as ${canonical(seen)} and is kept as ${canonical(kept)}.`);
  }
  return faults.slice(0, 5);
}

/** What each session cost is what its turns cost, and all together cost the sum. */
function costFaults({ client, stored }: Evidence): string[] {
  const { totals } = client;
  if (totals === undefined) return [];
  const faults = totals.sessions.flatMap(({ id, costUsd }) => {
    const turns = (stored.get(id) ?? []).filter(({ type }) => type === 'turn.ended');
    const sum = turns.reduce((total, { costUsd: cost }) => total + (typeof cost === 'number' ? cost : 0), 0);
    return isNear(sum, costUsd) ? [] : [`${id} says it cost ${costUsd}, and its turns cost ${sum}.`];
  });
  const sum = totals.sessions.reduce((total, { costUsd }) => total + costUsd, 0);
  const { totalUsd } = totals;
  if (totalUsd !== undefined && !isNear(sum, totalUsd)) faults.push(`All cost ${totalUsd}, and each together ${sum}.`);
  return faults;
}

function isNear(one: number, other: number): boolean {
  return Math.abs(one - other) < 1e-9;
}
