import type { SessionOptions } from '../../src/index.ts';
import type { HostCommand, HostFact, HostProgram, SessionLook, ShownEvent } from './host-program.ts';
import { SeenLogs } from './seen-logs.ts';
import type { Moment, PlannedPrompt, PlannedSession, Sign } from './store-plan.ts';

/** A prompt of the plan, and what the client was told of it. */
export interface ClientPrompt extends PlannedPrompt {
  readonly promptId: string;
  readonly sessionId: string;
  readonly text: string;
  readonly onPromptLost: PlannedSession['onPromptLost'];
  /** The life in which it was sent first. */
  sentIn: number | undefined;
  /** `turn.accepted` resolved: from here on it must not be lost. */
  isAccepted: boolean;
  /** How it ended, as `turn.result` told, in each life. */
  readonly outcomes: string[];
  /** How often it was decided that it may run once more. */
  retries: number;
}

/** What the client decided about a question. The nonce goes to the CLI with the answer, so that it can be told from every other. */
export interface ClientDecision {
  readonly requestId: string;
  readonly sessionId: string;
  readonly token: string;
  readonly nonce: string;
  readonly behavior: 'allow' | 'deny';
  wasSent: boolean;
  /** The answer was acknowledged. */
  isAnswered: boolean;
}

export interface ClientSession {
  readonly id: string;
  readonly options: SessionOptions;
  /** `start` resolved: it must be there in every later life. */
  isStarted: boolean;
}

/** What is peculiar to a run. */
export interface ClientSetting {
  readonly sessions: readonly ClientSession[];
  readonly prompts: readonly ClientPrompt[];
  /** The answer that carries the nonce. */
  answer(prompt: ClientPrompt, behavior: 'allow' | 'deny', nonce: string): unknown;
}

/** What may be refused without anything being wrong: somebody was first, or everything ends. */
const MAY_BE_REFUSED: Readonly<Partial<Record<HostCommand['do'], readonly string[]>>> = {
  start: ['SUPERVISOR_STOPPED', 'ABORTED', 'SESSION_CLOSED'],
  prompt: ['SUPERVISOR_STOPPED', 'SESSION_CLOSED', 'STORE_CLOSED'],
  answer: ['PERMISSION_SETTLED', 'PERMISSION_NOT_FOUND', 'CLI_INPUT_CLOSED', 'STORE_CLOSED'],
  resolve: ['SESSION_CLOSED'],
};

/** Somebody who uses a host from outside, remembers all they were told, and goes on with the next host where that one ended. */
export class Client {
  readonly logs = new SeenLogs();
  /** By request. */
  readonly decisions = new Map<string, ClientDecision>();
  readonly failures: string[] = [];
  readonly recoveryMs: number[] = [];
  /** Orphans that survived, and what the store told of itself. */
  readonly fleet: ShownEvent[] = [];
  readonly sessions: readonly ClientSession[];
  readonly prompts: readonly ClientPrompt[];
  totals: Extract<HostFact, { type: 'counted' }> | undefined;
  readonly #setting: ClientSetting;
  #host: HostProgram | undefined;
  #life = -1;
  #isLeaving = false;
  #signs = new Map<Sign, number>();
  #atWork = new Set<string>();
  readonly #waiting = new Set<() => void>();

  constructor(setting: ClientSetting) {
    this.#setting = setting;
    this.sessions = setting.sessions;
    this.prompts = setting.prompts;
  }

  /** The number of the host that lives, from 0; -1 before the first. */
  get life(): number {
    return this.#life;
  }

  /** A host begins its life; `hear` is to be given what it tells. */
  meet(host: HostProgram): void {
    this.#host = host;
    this.#life += 1;
    this.#isLeaving = false;
    this.#signs = new Map();
    this.#atWork = new Set();
    this.logs.turnPage();
  }

  /** What the host refuses from now on is no failure. */
  leave(): void {
    this.#isLeaving = true;
  }

  /** The host is gone; what was not acknowledged is not. */
  lose(): void {
    this.#host = undefined;
    this.#wake();
  }

  hear(fact: HostFact): void {
    switch (fact.type) {
      case 'up':
        this.#sign('up');
        break;
      case 'broken':
        this.failures.push(`The host did not open its store: ${fact.code} ${fact.text}`);
        break;
      case 'recovered':
        this.recoveryMs.push(fact.tookMs);
        this.#sign('recovered');
        this.#begin(fact.sessions);
        break;
      case 'looked':
        for (const session of fact.sessions) this.#attend(session);
        break;
      case 'fleet':
        this.fleet.push(fact.event);
        break;
      case 'started':
        this.#started(fact.id);
        break;
      case 'event':
        this.#event(fact.id, fact.event);
        break;
      case 'accepted':
        this.#prompt(fact.promptId).isAccepted = true;
        this.#sign('accepted');
        break;
      case 'outcome':
        this.#prompt(fact.promptId).outcomes.push(fact.outcome);
        break;
      case 'answered': {
        const decision = this.decisions.get(fact.requestId);
        if (decision !== undefined) decision.isAnswered = true;
        break;
      }
      case 'resolved':
        this.#atWork.delete(`doubt:${fact.promptId}`);
        break;
      case 'counted':
        this.totals = fact;
        break;
      case 'explained':
        this.failures.push(`${fact.id}: ${JSON.stringify(fact.explanation)}`);
        break;
      case 'refused':
        this.#refused(fact.command, fact.code, fact.text);
        break;
      case 'handed-over':
      case 'shut-down':
        break;
    }
    this.#wake();
  }

  /** Resolves when it is the moment, when nothing is left to do, or when the host is gone. */
  async moment({ after, nth }: Moment): Promise<void> {
    await this.until(() => (this.#signs.get(after) ?? 0) >= nth || this.isThrough(this.#life));
  }

  /** Resolves when it is so, or when the host is gone. */
  until(isSo: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!isSo() && this.#host !== undefined) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
      look();
    });
  }

  /** Every prompt that was due in the lives so far has ended, as its log says. */
  isThrough(life: number): boolean {
    if ((this.#signs.get('recovered') ?? 0) === 0) return false;
    return this.open(life).length === 0;
  }

  /** The prompts that are still to end. */
  open(life: number): ClientPrompt[] {
    return this.prompts.filter((prompt) => {
      if (this.logs.outcomesOf(prompt.promptId).length > 0) return false;
      if (this.logs.isAccepted(prompt.promptId) || prompt.isAccepted) return true;
      return prompt.life <= life && !this.#isGivenUp(prompt);
    });
  }

  /** Looks after everything that waits for a person. */
  look(): void {
    this.#say({ do: 'look' });
  }

  #begin(present: readonly SessionLook[]): void {
    for (const session of this.sessions) {
      const look = present.find(({ id }) => id === session.id);
      if (session.isStarted && look === undefined)
        this.failures.push(`After life ${this.#life} ${session.id} is gone.`);
      if (look === undefined) this.#say({ do: 'start', options: session.options });
      else {
        this.#attend(look);
        this.#started(session.id);
      }
    }
  }

  #started(id: string): void {
    const session = this.sessions.find((candidate) => candidate.id === id);
    if (session !== undefined) session.isStarted = true;
    // Every second life begins to read where the last one ended; the others read everything once more.
    this.#say({ do: 'watch', id, from: this.logs.begin(id, this.#life % 2 === 0) });
    for (const prompt of this.prompts) {
      if (prompt.sessionId !== id || prompt.life > this.#life || prompt.outcomes.length > 1) continue;
      if (this.#isGivenUp(prompt)) continue;
      prompt.sentIn ??= this.#life;
      this.#say({ do: 'prompt', id, promptId: prompt.promptId, text: prompt.text });
      this.#sign('sending');
    }
  }

  /** It was sent in an earlier life and never acknowledged, and the client does not try again. */
  #isGivenUp({ isGivenUp, sentIn, isAccepted }: ClientPrompt): boolean {
    return isGivenUp && sentIn !== undefined && !isAccepted && sentIn < this.#life;
  }

  #attend({ id, pending, doubts }: SessionLook): void {
    for (const request of pending) this.#consider(id, request.id, request.input);
    for (const promptId of doubts) this.#considerDoubt(id, promptId);
  }

  #event(id: string, event: ShownEvent): void {
    const fault = this.logs.add(id, event);
    if (fault !== undefined) this.failures.push(fault);
    if (isSign(event.type)) this.#sign(event.type);
    if (event.type === 'permission.requested') this.#consider(id, String(event['requestId']), event['input']);
    if (event.type === 'prompt.in-doubt') this.#considerDoubt(id, String(event['promptId']));
  }

  /** Thinks about a question, and answers it once in a life. */
  #consider(sessionId: string, requestId: string, input: unknown): void {
    if (this.#atWork.has(requestId) || this.logs.isSettled(requestId)) return;
    this.#atWork.add(requestId);
    const prompt = this.prompts.find(({ token }) => JSON.stringify(input).includes(token));
    if (prompt === undefined) {
      this.failures.push(`${sessionId} asks about what nobody wanted: ${JSON.stringify(input)}`);
      return;
    }
    const decision = this.decisions.get(requestId) ?? {
      requestId,
      sessionId,
      token: prompt.token,
      nonce: `n${this.decisions.size + 1}`,
      behavior: prompt.decision,
      wasSent: false,
      isAnswered: false,
    };
    this.decisions.set(requestId, decision);
    this.#afterThinking(prompt, () => {
      decision.wasSent = true;
      const { nonce, behavior } = decision;
      const answer = this.#setting.answer(prompt, behavior, nonce);
      this.#say({ do: 'answer', id: sessionId, requestId, nonce, answer });
      this.#sign('answering');
    });
  }

  #considerDoubt(sessionId: string, promptId: string): void {
    const key = `doubt:${promptId}`;
    if (this.#atWork.has(key) || this.logs.outcomesOf(promptId).length > 0) return;
    this.#atWork.add(key);
    const prompt = this.#prompt(promptId);
    this.#afterThinking(prompt, () => {
      if (prompt.whenInDoubt === 'retry') prompt.retries += 1;
      this.#say({ do: 'resolve', id: sessionId, promptId, how: prompt.whenInDoubt });
    });
  }

  #afterThinking({ thinkMs }: ClientPrompt, act: () => void): void {
    const life = this.#life;
    setTimeout(() => {
      if (life === this.#life && this.#host !== undefined) act();
    }, thinkMs);
  }

  #refused(command: HostCommand, code: string, text: string): void {
    const isUsual = this.#isLeaving || MAY_BE_REFUSED[command.do]?.includes(code) === true;
    if (!isUsual) this.failures.push(`In life ${this.#life}, ${JSON.stringify(command)} was refused: ${code} ${text}`);
  }

  #prompt(promptId: string): ClientPrompt {
    const prompt = this.prompts.find((candidate) => candidate.promptId === promptId);
    if (prompt === undefined) throw new Error(`The host knows a prompt that nobody sent: ${promptId}.`);
    return prompt;
  }

  #say(command: HostCommand): void {
    this.#host?.say(command);
  }

  #sign(sign: Sign): void {
    this.#signs.set(sign, (this.#signs.get(sign) ?? 0) + 1);
  }

  #wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }
}

const SIGNS: readonly string[] = [
  'session.started',
  'prompt.delivered',
  'prompt.started',
  'permission.requested',
  'permission.settled',
  'turn.ended',
  'prompt.ended',
] satisfies Sign[];

function isSign(type: string): type is Sign {
  return SIGNS.includes(type);
}
