import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { SupervisorOptions } from '../../../src/index.ts';
import { executionsOf } from '../../chaos-store/executions.ts';
import { type HostCommand, type HostFact, startHost } from '../../chaos-store/host-program.ts';
import { fakeOfRun } from '../../chaos-store/store-props.ts';

const ID = 'kept';
/** Prompts by what they are about. */
const PROMPTS = { t0x1: crypto.randomUUID(), t0x2: crypto.randomUUID() };
const FAR: SupervisorOptions = { takeover: { waitMs: 120_000 } };

describe('a host that another one asks for its store (P2, P4)', () => {
  it('hands over in the middle of its work: a turn, the queue behind it and a question go on there, each once', async () => {
    const { host, executions } = await place();
    const first = host({ timeouts: { handoverMs: 200 } });
    await first.session();
    first.say({ do: 'watch', id: ID, from: 0 });
    first.prompt('ask', 't0x1');
    first.prompt('say', 't0x2');
    await first.heard('accepted', ({ promptId }) => promptId === PROMPTS.t0x2);
    const [question] = await first.questions();

    const second = host(FAR);
    const { sessions } = await second.heard('recovered');
    expect(sessions).toMatchObject([{ id: ID, pending: [{ id: question }] }]);
    expect(await first.heard('fleet', ({ event }) => event.type === 'store.claimed')).toBeDefined();
    await first.heard('event', ({ event }) => event.type === 'session.handed-over');
    second.say({ do: 'answer', id: ID, requestId: String(question), nonce: '', answer: { behavior: 'allow' } });
    for (const token of ['t0x1', 't0x2'] as const) {
      second.prompt(token === 't0x1' ? 'ask' : 'say', token);
      expect(await second.heard('outcome', ({ promptId }) => promptId === PROMPTS[token])).toMatchObject({
        outcome: 'completed',
      });
    }
    expect(await executions('t0x1', 't0x2')).toMatchObject({ turns: { t0x2: 1 }, tools: { t0x1: 1 } });
  }, 120_000);

  it('is succeeded also where it is killed in the middle of handing over', async () => {
    const { host, executions } = await place();
    const first = host({ timeouts: { handoverMs: 600_000 } });
    await first.session();
    first.prompt('ask', 't0x1');
    await first.questions();
    const second = host(FAR);
    await first.heard('fleet', ({ event }) => event.type === 'store.claimed');
    expect(second.facts.some(({ type }) => type === 'recovered')).toBe(false);
    first.kill();

    const { sessions } = await second.heard('recovered');
    expect(sessions[0]?.pending).toHaveLength(1);
    const requestId = String(sessions[0]?.pending[0]?.id);
    second.say({ do: 'answer', id: ID, requestId, nonce: '', answer: { behavior: 'allow' } });
    second.prompt('ask', 't0x1');
    expect(await second.heard('outcome')).toMatchObject({ outcome: 'completed' });
    expect(await executions('t0x1')).toMatchObject({ tools: { t0x1: 1 } });
  }, 120_000);

  it('goes on where it is told not to hand over, or whoever asked was killed before it looked', async () => {
    const { host } = await place();
    const first = host({ onTakeover: 'refuse' });
    await first.session();
    const gone = host(FAR);
    await gone.heard('up');
    gone.kill();
    const second = host({ takeover: { waitMs: 500 } });
    expect(await second.heard('broken')).toMatchObject({
      code: 'STORE_HELD',
      text: expect.stringMatching(/has not within 500 ms/),
    });
    first.prompt('say', 't0x1');
    expect(await first.heard('outcome')).toMatchObject({ outcome: 'completed' });
  }, 120_000);
});

async function place() {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-takeover-'));
  const fake = await fakeOfRun('running', false);
  onTestFinished(async () => {
    await fake.dispose();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  const host = (supervisor: SupervisorOptions) => {
    const facts: HostFact[] = [];
    const waiting = new Set<() => void>();
    const plan = { store: join(folder, 'troupe.db'), durability: 'strict' as const, supervisor, alteration: undefined };
    const program = startHost(plan, process.env, (fact) => {
      facts.push(fact);
      for (const look of [...waiting]) look();
    });
    onTestFinished(async () => {
      program.kill();
      await program.ended;
    });
    const heard = <Type extends HostFact['type']>(
      type: Type,
      fits: (fact: Extract<HostFact, { type: Type }>) => boolean = () => true,
    ): Promise<Extract<HostFact, { type: Type }>> =>
      new Promise((resolve) => {
        const is = (fact: HostFact): fact is Extract<HostFact, { type: Type }> => fact.type === type;
        const look = () => {
          const found = facts.filter(is).find(fits);
          if (found !== undefined) resolve(found);
        };
        waiting.add(look);
        look();
      });
    const say = (command: HostCommand) => program.say(command);
    return {
      facts,
      heard,
      say,
      kill: () => program.kill(),
      prompt: (task: string, token: keyof typeof PROMPTS) =>
        say({ do: 'prompt', id: ID, promptId: PROMPTS[token], text: `${task} ${token}` }),
      session: async () => {
        await heard('recovered');
        say({ do: 'start', options: { id: ID, onPromptLost: 'retry', pathToClaudeCodeExecutable: fake.path } });
        await heard('started');
      },
      /** The ids of the open questions, as soon as there is one. */
      questions: async () => {
        const look = setInterval(() => say({ do: 'look' }), 200);
        const { sessions } = await heard('looked', ({ sessions: [one] }) => (one?.pending.length ?? 0) > 0);
        clearInterval(look);
        return sessions.flatMap(({ pending }) => pending.map(({ id }) => id));
      },
    };
  };
  return {
    host,
    executions: async (...tokens: string[]) => {
      const { turns, tools } = await executionsOf(fake, new Set(tokens));
      return { turns: Object.fromEntries(turns), tools: Object.fromEntries(tools) };
    },
  };
}
