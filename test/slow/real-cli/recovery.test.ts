import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  createSupervisor,
  type Explanation,
  type Session,
  type SessionOptions,
  type SupervisorOptions,
} from '../../../src/index.ts';
import { type HostCommand, type HostFact, startHost } from '../../chaos-store/host-program.ts';
import { eventOf, stage } from './stage.ts';
import { linesOf, recorded } from './transcript-of.ts';

const PERMISSION_MS = 600_000;

describe('the real CLI in a session whose host was killed (P2, P4, P8)', () => {
  it('asks again what was open, one answer runs the tool once, and queue, grants, model, mode and deadline go on', async () => {
    const { first, next, effects, configDir, call } = await house();
    const texts = { open: call('open', `echo ran >> ${effects}`), queued: call('queued', 'node -e 1') };
    first.say({ do: 'set', id: 'kept', model: 'opus', mode: 'acceptEdits' });
    await first.heard('set');
    // A first answer lets its like run from now on.
    first.say({ do: 'prompt', id: 'kept', promptId: ids.granted, text: call('granted', 'node -e 1') });
    const { id: asked } = await first.pending('node -e 1');
    first.say({
      do: 'answer',
      id: 'kept',
      requestId: asked,
      nonce: '',
      answer: { behavior: 'allow', scope: 'session' },
    });
    await first.heard('outcome', ({ promptId }) => promptId === ids.granted);

    first.say({ do: 'prompt', id: 'kept', promptId: ids.open, text: texts.open });
    const open = await first.pending('echo ran');
    first.say({ do: 'prompt', id: 'kept', promptId: ids.queued, text: texts.queued });
    await first.heard('accepted', ({ promptId }) => promptId === ids.queued);
    await recorded(configDir, 'echo ran');
    first.say({ do: 'explain', id: 'kept' });
    const deadline = deadlineIn((await first.heard('explained')).explanation as Explanation);
    expect(deadline).toBeGreaterThan(Date.now());
    await first.kill();

    const { session, report, model } = await next();
    expect(report).toMatchObject([{ id: 'kept', decision: 'resumed' }]);
    const again = session.permissions.pending();
    expect(again).toMatchObject([{ id: open.id, input: { command: `echo ran >> ${effects}` } }]);
    await eventOf(session, 'permission.rebound', ({ requestId }) => requestId === open.id);
    // Absolute, and no longer by the time that the restart took.
    expect(deadlineIn(session.explain())).toBe(deadline);
    await session.permissions.answer(open.id, { behavior: 'allow' });
    await expect(session.permissions.answer(open.id, { behavior: 'deny', message: 'no' })).rejects.toThrow();

    expect(await session.prompt(texts.open, { id: ids.open }).result).toMatchObject({ outcome: 'completed' });
    expect(await session.prompt(texts.queued, { id: ids.queued }).result).toMatchObject({
      outcome: 'completed',
      permissionDenials: 0,
    });
    expect(readFileSync(effects, 'utf8')).toBe('ran\n');
    // The third was none of a person: it was granted before the loss.
    expect(await deciders(session)).toEqual(['api', 'api', 'policy']);
    const inits = (await linesOf(session)).filter(({ subtype }) => subtype === 'init');
    expect(inits.at(-1)).toMatchObject({ permissionMode: 'acceptEdits', model: expect.stringMatching(/opus/) });
    expect(model.requests.length).toBeGreaterThan(0);
  });

  it('had taken a warm process: it goes on in the conversation that one had begun, and what was done is not done again (P2)', async () => {
    // The last thing that is kept is that the prompt was handed over.
    const { first, next, effects, configDir, call } = await house({
      withheldFrom: 'prompt.started',
      isPrewarmed: true,
    });
    const text = call('once', `echo ran >> ${effects}`);
    first.say({ do: 'prompt', id: 'kept', promptId: ids.open, text });
    await recorded(configDir, '"tool_result"');
    await first.kill();
    const { session, model } = await next();
    expect(await session.prompt(text, { id: ids.open }).result).toMatchObject({ outcome: 'lost' });
    expect(await session.prompt('what was that?').result).toMatchObject({ outcome: 'completed' });
    expect(JSON.stringify(model.requests.at(-1))).toContain('echo ran');
    expect(readFileSync(effects, 'utf8')).toBe('ran\n');
  });
});

describe('the real CLI in a session that its host hands over to another one (P2, P4, P8)', () => {
  it('has the question and the queue go on there, and one answer runs the tool once', async () => {
    const { first, next, effects, configDir, call } = await house();
    const texts = { open: call('open', `echo ran >> ${effects}`), queued: 'say queued' };
    first.say({ do: 'prompt', id: 'kept', promptId: ids.open, text: texts.open });
    const open = await first.pending('echo ran');
    first.say({ do: 'prompt', id: 'kept', promptId: ids.queued, text: texts.queued });
    await first.heard('accepted', ({ promptId }) => promptId === ids.queued);
    await recorded(configDir, 'echo ran');

    const { session, report } = await next({ takeover: true });
    expect(report).toMatchObject([{ id: 'kept', decision: 'resumed', reason: 'It was handed over. It has work.' }]);
    expect(session.permissions.pending()).toMatchObject([{ id: open.id }]);
    await session.permissions.answer(open.id, { behavior: 'allow' });
    for (const about of ['open', 'queued'] as const) {
      expect(await session.prompt(texts[about], { id: ids[about] }).result).toMatchObject({ outcome: 'completed' });
    }
    expect(readFileSync(effects, 'utf8')).toBe('ran\n');
    expect(await deciders(session)).toEqual(['api']);
  });
});

/** Who decided each question, from the first event of the log. */
async function deciders(session: Session): Promise<string[]> {
  const found: string[] = [];
  for await (const event of session.events({ from: 0 })) {
    if (event.type === 'replay.completed') break;
    if (event.type === 'permission.settled') found.push(event.by);
  }
  return found;
}

/** When the open question will be denied. */
function deadlineIn({ deadlines }: Explanation): number | undefined {
  return deadlines.find(({ what }) => what.startsWith('permission'))?.at;
}

const ids = { granted: crypto.randomUUID(), open: crypto.randomUUID(), queued: crypto.randomUUID() };

/** A store on disk, a host in a process of its own that will be killed, and the one after it. */
async function house({ withheldFrom, isPrewarmed = false }: { withheldFrom?: string; isPrewarmed?: boolean } = {}) {
  const { setting, cli, model, cwd, configDir } = await stage();
  const folder = mkdtempSync(join(tmpdir(), 'troupe-recovery-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const store = join(folder, 'troupe.db');
  // The environment is no option of the session: it holds a key, and a store keeps none.
  const supervisor: SupervisorOptions = {
    env: { ...setting.env },
    pathToClaudeCodeExecutable: cli.path,
    timeouts: { permissionMs: PERMISSION_MS, handoverMs: 500 },
  };
  const facts: HostFact[] = [];
  const alteration = withheldFrom === undefined ? undefined : { withheldFrom };
  const host = startHost({ store, durability: 'batched', supervisor, alteration }, process.env, (fact) =>
    facts.push(fact),
  );
  onTestFinished(() => host.kill());
  type Of<T> = Extract<HostFact, { type: T }>;
  const heard = async <T extends HostFact['type']>(type: T, fits: (fact: Of<T>) => boolean = () => true) => {
    const found = () => facts.find((fact): fact is Of<T> => fact.type === type && fits(fact as Of<T>));
    await expect.poll(() => found() !== undefined || complaint(facts), { timeout: 20_000, message: type }).toBe(true);
    return found() as Of<T>;
  };
  const first = {
    say: (command: HostCommand) => host.say(command),
    heard,
    pending: async (command: string) => {
      const asking = ({ event }: Of<'event'>) =>
        event.type === 'permission.requested' && JSON.stringify(event).includes(command);
      const { event } = await heard('event', asking);
      return { id: String(event['requestId']) };
    },
    kill: async () => {
      host.kill();
      await host.ended;
    },
  };
  const options: SessionOptions = { cwd, ...(isPrewarmed ? { allowedTools: ['Bash'] } : { onPromptLost: 'retry' }) };
  if (isPrewarmed) {
    first.say({ do: 'prewarm', options });
    await heard('warm');
  }
  first.say({ do: 'start', options: { ...options, id: 'kept' } });
  await heard('started');
  first.say({ do: 'watch', id: 'kept', from: 0 });
  const next = async (options: SupervisorOptions = {}) => {
    const second = createSupervisor({ ...supervisor, store, ...options });
    onTestFinished(() => second.shutdown());
    const { sessions: report } = await second.recovered;
    const session = second.session('kept');
    if (session === undefined) throw new Error('It did not come back.');
    return { session, report, model };
  };
  const call = (description: string, command: string) => `CALL Bash ${JSON.stringify({ command, description })}`;
  return { first, next, call, configDir, effects: join(folder, 'effects'), exists: existsSync };
}

/** What went wrong in the host, to be read in place of what did not come. */
function complaint(facts: readonly HostFact[]): string | false {
  const refused = facts.find(({ type }) => type === 'refused' || type === 'broken');
  return refused === undefined ? false : JSON.stringify(refused);
}
