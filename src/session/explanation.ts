import type { Parking } from '../../machines/child/child.context.ts';
import type { QuestionKind } from '../../machines/permission/permission.events.ts';
import type { SessionContext } from '../../machines/session/session.context.ts';
import type { EndFacts, FailureFacts } from '../store/session-event.ts';
import { type StoreWait, storeWords } from '../store/store-wait.ts';
import type { AdmissionLack } from './admission.ts';
import type { Deadline } from './deadlines.ts';
import type { PromptDoubt } from './prompt-doubts.ts';
import type { SessionStatus } from './session.ts';
import type { StateChange } from './state-change.ts';

/** Why a session is where it is and what happens next; JSON, for people and programs. */
export interface Explanation {
  readonly id: string;
  readonly state: StateChange['state'];
  readonly status: SessionStatus;
  /** Epoch milliseconds since when. */
  readonly since: number;
  /** One sentence a person can act on. */
  readonly because: string;
  /** What would move it on. */
  readonly waitingFor: readonly string[];
  readonly incarnation: number;
  readonly pid: number | undefined;
  readonly openPermissions: readonly {
    readonly id: string;
    readonly kind: QuestionKind;
    readonly toolName: string | undefined;
    readonly ageMs: number;
  }[];
  /** Prompts that were cut off: nothing runs until `session.doubts.resolve` says what becomes of them. */
  readonly promptsInDoubt: readonly PromptDoubt[];
  readonly queuedPrompts: number;
  readonly outstandingPrompts: number;
  readonly backgroundTasks: number;
  readonly degradedServers: readonly { readonly name: string; readonly reason: string }[];
  /** What will be done if nothing happens before, soonest first. Endless waits are left out. */
  readonly deadlines: readonly Deadline[];
  /** Why it is parked, or will be after its turn, and until when (epoch milliseconds; null when somebody has to act). */
  readonly parked: Parking | undefined;
  /** What of it is not in the store yet; undefined where everything is, or there is none. */
  readonly store: StoreWait | undefined;
  readonly lastFailure: EndFacts | undefined;
  /** What its owner can do about the last failure; undefined without one. */
  readonly advice: string | undefined;
  /** The newest ends that nobody asked for, oldest first, since it was last started by hand. */
  readonly failures: readonly FailureFacts[];
}

export type ExplanationFacts = Omit<Explanation, 'because' | 'waitingFor'> & {
  readonly machine: SessionContext | undefined;
  readonly backoffMs: number;
  /** False until it is durable that it was taken up. */
  readonly isBegun: boolean;
  /** Place in the line for a session slot. */
  readonly position: number | undefined;
  readonly lack: AdmissionLack | undefined;
};

export function explain(facts: ExplanationFacts): Explanation {
  const { machine, backoffMs, position: _place, lack: _lack, isBegun: _begun, ...shown } = facts;
  const waits = facts.isBegun ? waitingFor(machine, backoffMs, facts) : [];
  const { store } = facts;
  if (store !== undefined && (!facts.isBegun || store.heldLines > 0 || store.refusal !== undefined))
    waits.push(storeWords(store));
  return { ...shown, because: becauseOf(facts), waitingFor: waits };
}

function becauseOf(facts: ExplanationFacts): string {
  const failure = facts.lastFailure;
  switch (facts.state) {
    case 'hibernated':
      return failure === undefined || failure.code !== 'AT_CAPACITY'
        ? 'It is registered without a process; the first prompt starts one.'
        : `Its last start was refused: ${failure.message} The next prompt tries again.`;
    case 'held':
      if (failure?.ending === 'host-lost') return `Its host was lost. ${failure.message}`;
      return failure === undefined || failure.code === 'closed'
        ? 'It has no process; its group starts it when its turn comes.'
        : `It has no process (${failure.message}); its group decides what follows.`;
    case 'waiting':
      if (!facts.isBegun) return 'It begins when the store has kept that it was taken up.';
      return 'It waits for a free slot to start its process.';
    case 'spawning':
      return 'Its CLI process is being started.';
    case 'initializing':
      return 'The process runs; the CLI has not answered the initialize request yet.';
    case 'mcp-setup':
      return 'The CLI is initialized; not every MCP server is connected yet.';
    case 'ready':
      if (facts.outstandingPrompts > 0) return 'A turn is running.';
      if (facts.promptsInDoubt.length > 0) return 'A prompt was cut off and could run twice: somebody has to decide.';
      if (facts.backgroundTasks > 0) return 'Background work is running; prompts are accepted.';
      if (facts.status === 'running')
        return 'A turn of the CLI is ending, or one nobody asked for is running; prompts are accepted.';
      return 'Nothing to do: it waits for a prompt.';
    case 'awaiting-permission':
      return `${counted(facts.openPermissions.length, 'permission request')} ${facts.openPermissions.length === 1 ? 'waits' : 'wait'} for an answer.`;
    case 'closing':
      return `It is ending: ${failure?.message ?? 'the owner asked for it'}`;
    case 'closed':
      return 'It ended as asked and its process tree is gone.';
    case 'stopped':
      return failure === undefined || failure.code === 'closed'
        ? 'It ended as asked; it has no process.'
        : `It was not started: ${failure.message}`;
    case 'failed':
      return `It failed: ${failure?.message ?? 'unknown reason'}`;
    case 'backing-off':
      return `Its process ended (${failure?.message ?? 'unknown reason'}); a new one resumes the conversation after a wait.`;
    case 'parked':
      return `It has no process, and its prompts wait: ${facts.parked?.note ?? 'it was parked.'}`;
    case 'quarantined':
      return `It is set aside after ${counted(facts.failures.length, 'failure')}: ${failure?.message ?? 'unknown reason'}`;
    default:
      return 'Unknown state.';
  }
}

function waitingFor(machine: SessionContext | undefined, backoffMs: number, facts: ExplanationFacts): string[] {
  const timeouts = machine?.timeouts;
  switch (facts.state) {
    case 'waiting':
      return [lackOf(facts)];
    case 'spawning':
      return [`the process id, at most ${timeouts?.spawnMs} ms`];
    case 'initializing':
      return [`the initialize answer, at most ${timeouts?.initializeMs} ms after the last sign of life`];
    case 'mcp-setup': {
      const open = machine?.mcp.filter(({ status }) => status === 'waiting' || status === 'connecting') ?? [];
      return open.map(({ name }) => `MCP server "${name}", at most ${timeouts?.mcpServerMs} ms`);
    }
    case 'awaiting-permission':
      return facts.openPermissions.map(
        ({ id, toolName, kind }) => `an answer to permission request ${id} (${toolName ?? kind})`,
      );
    case 'ready':
    case 'hibernated':
      if (facts.outstandingPrompts > 0) return ['the result of the turn'];
      if (facts.promptsInDoubt.length === 0) return ['a prompt'];
      return facts.promptsInDoubt.map(({ id }) => `doubts.resolve("${id}", "retry" or "fail")`);
    case 'closing':
      return ['the end of the process tree'];
    case 'backing-off':
      return [`the end of the wait of ${backoffMs} ms`];
    case 'parked':
      return [endOf(facts.parked)];
    case 'quarantined':
      return ['restart() by its owner'];
    case 'held':
      return [facts.lastFailure?.ending === 'host-lost' ? 'its owner' : 'its group'];
    default:
      return [];
  }
}

const ACTS: Readonly<Record<Parking['reason'], string>> = {
  quota: 'somebody to resume the account',
  auth: 'a login of its account',
  budget: 'more budget',
};

function endOf(parked: Parking | undefined): string {
  if (parked === undefined) return 'whoever parked it';
  return parked.until === null ? ACTS[parked.reason] : `${new Date(parked.until).toISOString()}, when it goes on`;
}

function lackOf({ position, lack }: ExplanationFacts): string {
  if (position === undefined || lack === undefined) return 'a slot to start in';
  const place = `as number ${position} in line`;
  if (lack.what === 'memory') return `memory, ${place}: ${lack.freeBytes} bytes free of ${lack.wantedBytes} wanted`;
  return lack.what === 'slot-of-key' ? `a session slot of its key, ${place}` : `a session slot, ${place}`;
}

/** `no failures`, `1 failure`, `2 failures`. */
function counted(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count || 'no'} ${noun}s`;
}
