import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  type CanUseTool,
  createSdkMcpServer,
  type HookCallback,
  type Session,
  type SessionOptions,
  tool,
} from '../../src/index.ts';

/** A peer of the dialect, behind a supervisor. Whatever it opens it closes after the test. */
export interface DialectStage {
  readonly session: Session;
  /** True when the tool `Bash` of {@link WRITE} had its effect. */
  ran(): Promise<boolean>;
  /** What the host did wrong on the wire; a peer that cannot tell says nothing. */
  violations(): Promise<readonly unknown[]>;
  /** Live processes of the session. */
  processes(): readonly unknown[];
}

export interface DialectHarness {
  readonly name: string;
  /** Starts a session with a peer that obeys the prompts of this suite. The peer comes anew for each call. */
  start(options: SessionOptions): Promise<DialectStage>;
}

/** Prompts that every peer obeys: the fake CLI by its scenario, the real one through the fake model. */
export const WRITE = `CALL Bash ${JSON.stringify({ command: 'echo ran > ran.txt', description: 'Write a file' })}`;
const ADD = `CALL mcp__calculator__add ${JSON.stringify({ left: 2, right: 3 })}`;
const REFUSE = 'CALL mcp__calculator__refuse {}';
const EXPLODE = 'CALL mcp__calculator__explode {}';
const FEW_WORDS = 'SLOW 5';
const MANY_WORDS = 'SLOW 200';
const FAIL = 'ERROR 400';

/**
 * What a session is in every dialect, seen by the host alone: nothing behind the codec knows which one is spoken. One
 * scenario per dialect is in `test/dialects/scenarios`.
 */
export function dialectConformance(harness: DialectHarness): void {
  describe(`a session whose peer speaks ${harness.name} (DIALECTS)`, { timeout: 120_000 }, () => {
    it('shakes hands: it is ready before the first prompt, with nothing said yet', async () => {
      const stage = await harness.start({});

      expect([stage.session.state, stage.session.status]).toEqual(['ready', 'idle']);
      expect(stage.session.turns()).toEqual([]);
      expect(await stage.violations()).toEqual([]);
    });

    it('answers prompts one after the other in one conversation', async () => {
      const stage = await harness.start({});
      const first = await stage.session.prompt('hello').result;
      const conversation = stage.session.conversationId;
      const second = await stage.session.prompt('and again').result;

      expect([first, second]).toMatchObject([
        { outcome: 'completed', text: 'Echo: hello', error: undefined },
        { outcome: 'completed', text: 'Echo: and again', error: undefined },
      ]);
      expect(first.usage?.outputTokens).toBeGreaterThan(0);
      expect(conversation).toMatch(/./);
      expect(stage.session.conversationId).toBe(conversation);
      await stage.session.settled();
      expect([stage.session.state, stage.session.status]).toEqual(['ready', 'idle']);
      expect(await stage.violations()).toEqual([]);
    });

    it('streams the answer piece by piece, and the pieces are the answer', async () => {
      const stage = await harness.start({ includePartialMessages: true });
      const turn = stage.session.prompt(FEW_WORDS);
      const pieces: string[] = [];
      for await (const piece of turn.textStream()) pieces.push(piece);
      const { text } = await turn.result;

      expect(pieces.length).toBeGreaterThan(1);
      expect(pieces.join('')).toBe(text);
      expect(await stage.violations()).toEqual([]);
    });

    it('asks before a tool runs, and an allow runs it (P4)', async () => {
      const asked: unknown[] = [];
      let ranBefore: boolean | undefined;
      const canUseTool: CanUseTool = async (toolName, input) => {
        ranBefore = await stage.ran();
        asked.push([toolName, input['command']]);
        return { behavior: 'allow', updatedInput: input };
      };
      const stage = await harness.start({ canUseTool });
      const { outcome } = await stage.session.prompt(WRITE).result;

      expect(asked).toEqual([['Bash', 'echo ran > ran.txt']]);
      expect(ranBefore).toBe(false);
      expect([outcome, await stage.ran()]).toEqual(['completed', true]);
      expect(stage.session.permissions.pending()).toEqual([]);
      expect(await stage.violations()).toEqual([]);
    });

    it('a deny keeps the tool from running, and the model hears why (P4)', async () => {
      const stage = await harness.start({ canUseTool: () => ({ behavior: 'deny', message: 'Not on a Sunday.' }) });
      const { outcome, text } = await stage.session.prompt(WRITE).result;

      expect(outcome).toBe('completed');
      expect(text).toContain('Not on a Sunday.');
      expect(await stage.ran()).toBe(false);
      expect(await stage.violations()).toEqual([]);
    });

    it('calls a hook with the tool and its input, and does as it says', async () => {
      const called: unknown[] = [];
      const guard: HookCallback = (input) => {
        if (input.hook_event_name !== 'PreToolUse') return {};
        called.push([input.tool_name, (input.tool_input as { command: string }).command]);
        return {
          hookSpecificOutput: {
            hookEventName: 'PreToolUse',
            permissionDecision: 'deny',
            permissionDecisionReason: 'The hook minds.',
          },
        };
      };
      const hooks = { PreToolUse: [{ matcher: 'Bash', hooks: [guard] }] };
      const stage = await harness.start({ hooks, canUseTool: () => ({ behavior: 'allow' }) });
      const { outcome, text } = await stage.session.prompt(WRITE).result;

      expect(called).toEqual([['Bash', 'echo ran > ran.txt']]);
      expect(outcome).toBe('completed');
      expect(text).toContain('The hook minds.');
      expect(await stage.ran()).toBe(false);
      expect(await stage.violations()).toEqual([]);
    });

    it('calls an in-process tool and hands its result, its isError result and its error to the model', async () => {
      const { calculator, called } = newCalculator();
      const stage = await harness.start({ mcpServers: { calculator }, allowedTools: ['mcp__calculator'] });
      const texts: unknown[] = [];
      for (const prompt of [ADD, REFUSE, EXPLODE]) texts.push((await stage.session.prompt(prompt).result).text);

      expect(called).toEqual([{ left: 2, right: 3 }, 'refuse', 'explode']);
      expect(texts).toEqual([
        expect.stringContaining('The sum is 5'),
        expect.stringContaining('The calculator is closed'),
        expect.stringContaining('The calculator exploded'),
      ]);
      expect(await stage.violations()).toEqual([]);
    });

    it('an interrupt ends the turn as interrupted, and the session goes on (R43)', async () => {
      const stage = await harness.start({ includePartialMessages: true });
      const turn = stage.session.prompt(MANY_WORDS);
      for await (const _ of turn.textStream()) break;
      await stage.session.interrupt();

      expect(await turn.result).toMatchObject({ outcome: 'interrupted', error: undefined });
      expect((await stage.session.prompt('still there?').result).text).toBe('Echo: still there?');
      expect(await stage.violations()).toEqual([]);
    });

    it('an error result is a failed turn with the reason, and the session goes on (R88)', async () => {
      const stage = await harness.start({});
      const failed = await stage.session.prompt(FAIL).result;

      expect(failed).toMatchObject({ outcome: 'failed', error: { code: 'TURN_FAILED' } });
      expect(failed.error?.message).toContain('400');
      expect((await stage.session.prompt('next').result).outcome).toBe('completed');
      expect(await stage.violations()).toEqual([]);
    });

    it('closes without force: what was asked is answered, and no process is left (P1)', async () => {
      const stage = await harness.start({});
      await stage.session.prompt('last words').result;
      await stage.session.close();

      expect(await stage.session.ended).toMatchObject({ error: undefined });
      expect(stage.processes()).toEqual([]);
      expect(await stage.violations()).toEqual([]);
    });
  });
}

/** A server of this process: one tool that works, one that says no, one that throws. */
function newCalculator() {
  const called: unknown[] = [];
  const says = (text: string) => ({ content: [{ type: 'text' as const, text }] });
  const add = tool('add', 'Adds two numbers.', { left: z.number(), right: z.number() }, async (input) => {
    called.push(input);
    return says(`The sum is ${input.left + input.right}`);
  });
  const refuse = tool('refuse', 'Says no.', {}, async () => {
    called.push('refuse');
    return { ...says('The calculator is closed'), isError: true };
  });
  const explode = tool('explode', 'Throws.', {}, async () => {
    called.push('explode');
    throw new Error('The calculator exploded');
  });
  return { calculator: createSdkMcpServer({ name: 'calculator', tools: [add, refuse, explode] }), called };
}
