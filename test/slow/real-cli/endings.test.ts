import { describe, expect, it } from 'vitest';
import type { Session, SessionOptions } from '../../../src/index.ts';
import { eventOf, processesOf, stage } from './stage.ts';
import { recorded } from './transcript-of.ts';

const RESTART = { type: 'transient', backoff: { minMs: 10, maxMs: 20 } } as const;
// The CLI refuses to run a lone sleep.
const SLEEP = `CALL Bash ${JSON.stringify({ command: 'while true; do sleep 300; done', description: 'sleep' })}`;
const ID = '5b0c8f3a-8f4e-4c52-9d1f-0f6f3a2b7c11';

describe('a process that is lost before its conversation was written', () => {
  it.each<[string, SessionOptions]>([
    ['an id of the CLI', {}],
    ['an id that was chosen', { sessionId: ID }],
  ])('before its first prompt: the next one begins anew, with %s (P8, WIRE §12)', async (_, options) => {
    const { start } = await stage();
    const session = await start({ ...options, restart: RESTART });
    process.kill(session.pid ?? 0, 'SIGKILL');
    await readyAgain(session);

    expect((await session.prompt('hello').result).outcome).toBe('completed');
    expect(session.incarnation).toBe(2);
    expect(session.explain().failures.map(({ ending }) => ending)).toEqual(['killed-from-outside']);
    if (options.sessionId !== undefined) expect(session.conversationId).toBe(ID);
  });

  it.each(['prompt.delivered', 'prompt.started', 'turn.started'] as const)(
    'right after %s, written or not: the session goes on, and its id is still its own (P8, WIRE §15)',
    async (type) => {
      const { start } = await stage();
      const session = await start({ id: 'mine', sessionId: ID, restart: RESTART, onPromptLost: 'fail' });
      const turn = session.prompt('SLOW 40');
      await eventOf(session, type);
      process.kill(session.pid ?? 0, 'SIGKILL');

      expect((await turn.result).outcome).toBe('lost');
      expect((await session.prompt('hello').result).outcome).toBe('completed');
      expect(session.id).toBe('mine');
      // A second start, of the other kind, is no failure of the session that would be counted.
      const endings = session.explain().failures.map(({ ending }) => ending);
      expect(endings.filter((ending) => ending !== 'unrecorded')).toEqual(['killed-from-outside']);
    },
  );
});

describe('a prompt whose tool was cut off by kill -9', () => {
  it('onPromptLost "retry": is begun anew, and its tool runs a second time (P2, WIRE §15)', async () => {
    const { start, configDir } = await stage();
    const session = await start({ id: 'again', allowedTools: ['Bash'], restart: RESTART, onPromptLost: 'retry' });
    await session.prompt('remember the lamp').result;
    await recorded(configDir, 'Echo: remember the lamp');
    const turn = session.prompt(SLEEP);
    await sleeping('again');
    process.kill(session.pid ?? 0, 'SIGKILL');
    await readyAgain(session);
    await sleeping('again');
    await session.interrupt();

    expect((await turn.result).outcome).toBe('interrupted');
    const delivered = await eventOf(session, 'prompt.delivered', ({ uuid }) => uuid !== undefined);
    expect(delivered).toMatchObject({ promptId: turn.id, epoch: 2 });
  });

  it('onPromptLost "ask": waits for a decision, and what waits behind it runs afterwards (P2, P5)', async () => {
    const { start, configDir } = await stage();
    const session = await start({ id: 'asks', allowedTools: ['Bash'], restart: RESTART, onPromptLost: 'ask' });
    await session.prompt('remember the lamp').result;
    await recorded(configDir, 'Echo: remember the lamp');
    const turn = session.prompt(SLEEP);
    await sleeping('asks');
    const behind = session.prompt('and now?');
    process.kill(session.pid ?? 0, 'SIGKILL');
    await readyAgain(session);
    expect(session.status).toBe('requires_action');
    expect(session.doubts.resolve(turn.id, 'fail')).toBe(true);

    expect(await turn.result).toMatchObject({ outcome: 'lost', error: { code: 'PROMPT_LOST' } });
    expect((await behind.result).outcome).toBe('completed');
  });
});

describe('a login that is refused', () => {
  it('with 401 of the API fails the turn; the next prompt waits without a process until somebody says go on, and no restart is spent (R89, WIRE §13)', async () => {
    const { start, supervisor } = await stage();
    const session = await start({ restart: RESTART });
    const result = await session.prompt('ERROR 401').result;
    expect(result).toMatchObject({ outcome: 'failed', error: { details: { apiErrorStatus: 401 } } });
    const waiting = session.prompt('hello');
    await eventOf(session, 'session.parked', ({ reason }) => reason === 'auth');

    const [account] = supervisor.accounts();
    supervisor.resumeAccount(account?.key ?? '');

    expect((await waiting.result).outcome).toBe('completed');
    expect(session.explain().failures).toEqual([]);
  });

  it('fails the turn and not the process; a process that then leaves is not started again: its session waits for a login (R89)', async () => {
    const { start } = await stage({ env: { ANTHROPIC_API_KEY: '', ANTHROPIC_AUTH_TOKEN: '' } });
    const session = await start({ restart: RESTART });
    const result = await session.prompt('hello').result;
    expect(result).toMatchObject({ outcome: 'failed', error: { code: 'TURN_FAILED' } });
    expect(result.text ?? result.error?.message).toContain('Not logged in');
    expect(session.state).toBe('ready');
    expect(session.incarnation).toBe(1);

    await session.control('end_session').catch(() => {});

    const { reason, note } = await eventOf(session, 'session.parked');
    expect(reason).toBe('auth');
    expect(note).toContain('Log in');
    expect(session.explain().failures).toEqual([]);
  });
});

async function readyAgain(session: Session): Promise<void> {
  await eventOf(session, 'session.state-changed', ({ state, epoch }) => state === 'ready' && epoch > 1);
}

async function sleeping(sessionId: string): Promise<void> {
  const isAsleep = () => processesOf(sessionId).some(({ command }) => command.startsWith('sleep'));
  await expect.poll(isAsleep, { timeout: 30_000 }).toBe(true);
}
