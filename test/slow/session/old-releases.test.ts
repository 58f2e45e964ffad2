import { describe, expect, it } from 'vitest';
import { createSdkMcpServer, tool } from '../../../src/index.ts';
import { on, step, when } from '../../../src/testing/fake-cli/scenario.ts';
import { eventOf, expectNoViolations, stage } from './stage.ts';

for (const version of ['1.0.128', '2.0.30', '2.1.19', '2.1.197', '2.1.332'] as const) {
  describe(`release ${version}`, () => {
    it('takes prompts one by one, in a queue and into a running turn (P2, P3, WIRE §23)', async () => {
      const { start, fake } = await stage({
        flavor: { version },
        rules: [on(when.prompt('tool'), step.toolTurn({ tool: 'Bash', input: {}, ask: false, runMs: 200 }))],
      });
      const session = await start();
      expect((await session.prompt('one').result).text).toBe('Echo: one');
      const queued = ['a', 'b', 'c'].map((text) => session.prompt(text));
      const texts = (await Promise.all(queued.map(({ result }) => result))).map(({ text }) => text);
      expect(texts).toEqual(['Echo: a', 'Echo: b', 'Echo: c']);
      const steered = ['x', 'y', 'z'].map((text) => session.prompt(text, { onBusy: 'steer' }));
      const outcomes = (await Promise.all(steered.map(({ result }) => result))).map(({ outcome }) => outcome);
      expect(outcomes).toEqual(['completed', 'completed', 'completed']);
      const folding = session.prompt('tool');
      await eventOf(session, 'prompt.started', ({ promptId }) => promptId === folding.id);
      const folded = session.prompt('folded', { onBusy: 'steer' });
      expect((await folding.result).outcome).toBe('completed');
      expect((await folded.result).outcome).toBe('completed');
      expect((await session.prompt('last').result).text).toBe('Echo: last');
      await session.close();
      await expectNoViolations(fake);
    });

    it('is interrupted, asks, and calls in-process tools (R32, R43, WIRE §2, §8)', async () => {
      const { start, fake } = await stage({
        flavor: { version },
        rules: [
          on(when.prompt('endless'), step.delay(30_000)),
          on(when.prompt('ask'), step.toolTurn({ tool: 'Bash', input: { command: 'ls' } })),
          on(when.prompt('add'), step.toolTurn({ tool: 'mcp__calc__answer', input: {}, ask: false })),
        ],
      });
      const answer = tool('answer', 'Answers.', {}, async () => ({ content: [{ type: 'text', text: 'forty-two' }] }));
      const session = await start({
        mcpServers: { calc: createSdkMcpServer({ name: 'calc', tools: [answer] }) },
        canUseTool: async () => ({ behavior: 'allow' }),
      });
      expect((await session.prompt('add').result).text).toContain('forty-two');
      expect((await session.prompt('ask').result).text).toContain('completed with no output');
      const turn = session.prompt('endless');
      await eventOf(session, 'prompt.started', ({ promptId }) => promptId === turn.id);
      expect((await session.interrupt()).effect).toBe('interrupted');
      expect(await turn.result).toMatchObject({ outcome: 'interrupted', error: undefined });
      await session.setPermissionMode('plan');
      expect((await session.prompt('after').result).text).toBe('Echo: after');
      expect(session.incarnation).toBe(1);
      await session.close();
      await expectNoViolations(fake);
    });
  });
}
