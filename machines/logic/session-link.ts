import type { HostedEvent, HostedSession } from './hosted-session.ts';
import type { SessionLogicCommand, SessionLogicFact } from './session-logic.events.ts';

/** Starts the session, as in `({ signal }) => supervisor.start({ …, signal })`. Who leaves early aborts the signal. */
export type StartSession = (options: { readonly signal: AbortSignal }) => Promise<HostedSession>;

/** What the link tells the actor that owns it. */
export type LinkNews =
  | { type: 'link.told'; fact: SessionLogicFact; sessionId: string }
  /** Over for good: with the error when nobody asked for it. */
  | { type: 'link.ended'; error: unknown };

/** Between an actor and its session: starts it, follows it, obeys. Every failure of a command is told, none is thrown. */
export class SessionLink {
  readonly #report: (news: LinkNews) => void;
  readonly #start: StartSession;
  readonly #leaving = new AbortController();
  #session: HostedSession | undefined;
  #waiting: SessionLogicCommand[] = [];

  constructor(start: StartSession, report: (news: LinkNews) => void) {
    this.#start = start;
    this.#report = report;
  }

  begin(): void {
    void this.#live().catch((error: unknown) => this.#tell({ type: 'link.ended', error }));
  }

  obey(command: SessionLogicCommand): void {
    if (this.#session !== undefined) this.#carryOut(this.#session, command);
    else if (command.type !== 'session.close') this.#waiting.push(command);
    else {
      this.leave();
      this.#report({ type: 'link.ended', error: undefined });
    }
  }

  /** Nobody listens any more: a start in progress is called off, and the session is closed. Its supervisor sees to the end. */
  leave(): void {
    this.#leaving.abort();
    void this.#session?.close().catch(() => {});
  }

  async #live(): Promise<void> {
    const session = await this.#start({ signal: this.#leaving.signal });
    // A start that does not heed its signal: what came too late has no owner.
    if (this.#leaving.signal.aborted) return session.close();
    this.#session = session;
    this.#fact({ type: 'session.ready' });
    for (const command of this.#waiting.splice(0)) this.#carryOut(session, command);
    void this.#follow(session).catch(() => {});
    const { error } = await session.ended;
    this.#tell({ type: 'link.ended', error });
  }

  async #follow(session: HostedSession): Promise<void> {
    const { seq } = session.snapshot();
    for (const { id: requestId, kind, toolName, input } of session.permissions.pending()) {
      this.#fact({ type: 'permission.requested', requestId, kind, toolName, input });
    }
    for await (const event of session.events({ from: seq })) {
      if (this.#leaving.signal.aborted) return;
      this.#pass(event);
    }
  }

  #pass(event: { readonly type: string }): void {
    if (is(event, 'session.state-changed')) {
      this.#fact({ type: 'session.state-changed', state: event.state, from: event.from });
    } else if (is(event, 'session.restarting')) {
      const { cause, delayMs } = event;
      this.#fact({ type: 'session.restarting', code: cause.code, message: cause.message, delayMs });
    } else if (is(event, 'session.resumed')) this.#fact({ type: 'session.resumed' });
    else if (is(event, 'permission.requested')) {
      const { requestId, kind, toolName, input } = event;
      this.#fact({ type: 'permission.requested', requestId, kind, toolName, input });
    } else if (is(event, 'permission.settled')) {
      const { requestId, outcome, by } = event;
      this.#fact({ type: 'permission.settled', requestId, outcome, by });
    }
  }

  #carryOut(session: HostedSession, command: SessionLogicCommand): void {
    void this.#act(session, command).catch((error: unknown) =>
      this.#fact({ type: 'session.refused', command: command.type, ...factsOf(error) }),
    );
  }

  async #act(session: HostedSession, command: SessionLogicCommand): Promise<void> {
    if (command.type === 'session.prompt') return this.#prompt(session, command);
    if (command.type === 'session.close') return session.close();
    if (command.type === 'permission.answer') {
      const { requestId, answer, by } = command;
      return session.permissions.answer(requestId, answer, by === undefined ? {} : { by });
    }
    const { cancelQueued } = command;
    await session.interrupt(cancelQueued === undefined ? {} : { cancelQueued });
  }

  async #prompt(
    session: HostedSession,
    { type: _, text: content, ...options }: Extract<SessionLogicCommand, { type: 'session.prompt' }>,
  ): Promise<void> {
    const turn = session.prompt(content, options);
    this.#fact({ type: 'session.prompted', promptId: turn.id });
    const { outcome, text, error } = await turn.result;
    this.#fact({ type: 'session.turn-ended', promptId: turn.id, outcome, text, code: error?.code });
  }

  #fact(fact: SessionLogicFact): void {
    this.#tell({ type: 'link.told', fact, sessionId: this.#session?.id ?? '' });
  }

  #tell(news: LinkNews): void {
    if (!this.#leaving.signal.aborted) this.#report(news);
  }
}

function is<T extends HostedEvent['type']>(
  event: { readonly type: string },
  type: T,
): event is Extract<HostedEvent, { type: T }> {
  return event.type === type;
}

function factsOf(error: unknown): { code: string; message: string } {
  const message = error instanceof Error ? error.message : String(error);
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : 'UNKNOWN';
  return { code, message };
}
