import { fromCallback } from 'xstate';
import type { PromptedSession } from './turn-logic.ts';

/** The part of a session this needs; a `Session` of `troupe` fits. */
export interface HostedSession extends PromptedSession {
  readonly id: string;
  readonly ended: Promise<{ readonly reason: string; readonly error?: unknown }>;
  close(): Promise<void>;
}

export interface SessionLogicInput {
  /** Starts the session, as in `() => supervisor.start({ … })`. */
  readonly start: () => Promise<HostedSession>;
}

/** What a machine of yours tells the session. */
export type SessionLogicCommand =
  | { type: 'session.prompt'; text: string }
  | { type: 'session.interrupt' }
  | { type: 'session.close' };

/** What the session tells the machine that invoked it. */
export type SessionLogicEvent =
  | { type: 'session.ready'; id: string }
  | { type: 'session.failed'; code: string; message: string }
  | { type: 'session.turn-ended'; outcome: string; text: string | undefined }
  | { type: 'session.refused'; code: string; message: string }
  | { type: 'session.ended'; reason: string };

/**
 * A supervised session as actor logic, to be invoked by a machine of your own: commands in, facts out. Prompts sent
 * before it is ready wait. A machine that leaves the state closes the session.
 */
export const sessionLogic = fromCallback<SessionLogicCommand, SessionLogicInput>(({ input, sendBack, receive }) => {
  const report = (event: SessionLogicEvent) => sendBack(event); // sendBack alone accepts anything.
  const starting = input.start();
  let isLeft = false;
  const tell = (event: SessionLogicEvent) => {
    if (!isLeft) report(event);
  };
  const follow = async (session: HostedSession) => {
    tell({ type: 'session.ready', id: session.id });
    const { reason } = await session.ended;
    tell({ type: 'session.ended', reason });
  };
  const ask = async (text: string) => {
    const session = await starting.catch(() => undefined);
    if (session === undefined) return;
    try {
      const { outcome, text: answer } = await session.prompt(text).result;
      tell({ type: 'session.turn-ended', outcome, text: answer });
    } catch (error) {
      tell({ type: 'session.refused', ...factsOf(error) });
    }
  };
  const leave = () => void starting.then((session) => session.close()).catch(() => {});

  starting.then(follow).catch((error: unknown) => tell({ type: 'session.failed', ...factsOf(error) }));
  receive((command) => {
    if (command.type === 'session.prompt') void ask(command.text);
    if (command.type === 'session.interrupt') void starting.then((session) => session.interrupt()).catch(() => {});
    if (command.type === 'session.close') leave();
  });
  return () => {
    isLeft = true;
    leave();
  };
});

function factsOf(error: unknown): { code: string; message: string } {
  const message = error instanceof Error ? error.message : String(error);
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : 'UNKNOWN';
  return { code, message };
}
