import { describe, expect, it } from 'vitest';
import { query } from '../../../src/index.ts';
import { on, step, when } from '../../../src/testing/fake-cli/scenario.ts';
import { errorFrom, expectNoViolations, isAlive, newFake, SHORT, timed } from './stage.ts';

const user = (text: string) => ({ type: 'user', message: { role: 'user', content: text } }) as const;

describe('a query', () => {
  it('yields the messages of the CLI as the official SDK does, without our own prompts', async () => {
    const fake = await newFake();
    const types: string[] = [];
    const texts: unknown[] = [];
    const options = { pathToClaudeCodeExecutable: fake.path };
    for await (const message of query({ prompt: 'hello', options })) {
      types.push(message.type);
      if (message.type === 'result') texts.push(message['result']);
    }
    expect(texts).toEqual(['Echo: hello']);
    expect(types).toContain('assistant');
    expect(types).not.toContain('user');
    await expectNoViolations(fake);
  });

  it('throws after the result of a failed last turn, and when the process is lost (R02, R88)', async () => {
    const api = { subtype: 'success', is_error: true, result: 'API Error: 400' };
    const fake = await newFake({
      rules: [on(when.prompt('api'), step.result(api)), on(when.prompt('die'), step.stderr('gone\n'), step.exit(6))],
    });
    const options = { pathToClaudeCodeExecutable: fake.path };
    const results: unknown[] = [];
    const failed = await errorFrom(
      (async () => {
        for await (const message of query({ prompt: 'api', options }))
          if (message.type === 'result') results.push(message['is_error']);
      })(),
    );
    expect(results).toEqual([true]);
    expect(failed.code).toBe('TURN_FAILED');
    expect(failed.message).toContain('API Error: 400');
    const lost = query({ prompt: 'die', options });
    const error = await errorFrom(
      (async () => {
        for await (const _ of lost);
      })(),
    );
    expect(error.code).toBe('CLI_EXITED');
    expect(error.details).toMatchObject({ exitCode: 6 });
    expect((await fake.pids()).filter(isAlive)).toEqual([]);
  });

  it('throws what its stream of prompts throws, and leaves nothing behind (R53)', async () => {
    const fake = await newFake();
    async function* broken() {
      yield user('first');
      throw new Error('the stream broke');
    }
    const messages = query({ prompt: broken(), options: { pathToClaudeCodeExecutable: fake.path, timeouts: SHORT } });
    const seen: string[] = [];
    const thrown = await (async () => {
      for await (const { type } of messages) seen.push(type);
    })().catch((error: unknown) => error);
    expect(thrown).toMatchObject({ message: 'the stream broke' });
    expect((await fake.pids()).filter(isAlive)).toEqual([]);
  });

  it('can be steered while it runs: interrupt, model, permission mode', async () => {
    const fake = await newFake({ rules: [on(when.prompt('endless'), step.delay(30_000))] });
    const messages = query({ prompt: 'endless', options: { pathToClaudeCodeExecutable: fake.path, timeouts: SHORT } });
    const outcomes: unknown[] = [];
    for await (const message of messages) {
      if (message.type === 'system' && message['subtype'] === 'init') {
        await messages.setModel('haiku');
        await messages.setPermissionMode('plan');
        expect(await messages.interrupt()).toEqual({ still_queued: [] });
      }
      if (message.type === 'result') outcomes.push(message['terminal_reason']);
    }
    expect(outcomes).toEqual(['aborted_streaming']);
  });

  it('that is left while it waits for a message ends at once, by return and by await using (R53)', async () => {
    const fake = await newFake({ rules: [on(when.prompt('endless'), step.delay(60_000))] });
    const options = { pathToClaudeCodeExecutable: fake.path, timeouts: SHORT };
    const ms = await timed(async () => {
      const messages = query({ prompt: 'endless', options });
      await messages.next();
      let waiting = messages.next();
      for (let step = 0; step < 50; step += 1) {
        const settled = await Promise.race([waiting, new Promise((resolve) => setTimeout(resolve, 500, 'waits'))]);
        if (settled === 'waits') break;
        waiting = messages.next();
      }
      await Promise.all([messages.return(), waiting.catch(() => {})]);
      await using other = query({ prompt: 'endless', options });
      await other.next();
    });
    expect(ms).toBeLessThan(20_000);
    expect((await fake.pids()).filter(isAlive)).toEqual([]);
  });

  it('is ended by its abort controller, before, during and after the start (R53)', async () => {
    const fake = await newFake({ rules: [on(when.prompt('endless'), step.delay(60_000))] });
    const run = async (abortController: AbortController, onInit = () => {}) => {
      const options = { pathToClaudeCodeExecutable: fake.path, timeouts: SHORT, abortController };
      for await (const message of query({ prompt: 'endless', options })) {
        if (message.type === 'system' && message['subtype'] === 'init') onInit();
      }
    };
    const early = new AbortController();
    early.abort();
    expect((await errorFrom(run(early))).code).toBe('ABORTED');
    const soon = new AbortController();
    const starting = errorFrom(run(soon));
    setImmediate(() => soon.abort());
    expect((await starting).code).toBe('ABORTED');
    const late = new AbortController();
    expect((await errorFrom(run(late, () => late.abort()))).code).toBe('ABORTED');
    expect((await fake.pids()).filter(isAlive)).toEqual([]);
  });

  it('answers what was sent before its stream of prompts failed', async () => {
    const fake = await newFake({});
    async function* prompts() {
      yield { type: 'user' as const, message: { role: 'user' as const, content: 'before' } };
      throw new Error('the stream broke');
    }
    const results: unknown[] = [];
    const run = async () => {
      for await (const message of query({ prompt: prompts(), options: { pathToClaudeCodeExecutable: fake.path } })) {
        if (message.type === 'result') results.push(message['result']);
      }
    };

    await expect(run()).rejects.toThrow('the stream broke');
    expect(results).toEqual(['Echo: before']);
  });

  it('whose stream of prompts fails before the first one ends at once (PEER test_query)', async () => {
    const fake = await newFake({});
    // biome-ignore lint/correctness/useYield: a stream that fails first has nothing to yield.
    async function* prompts(): AsyncGenerator<ReturnType<typeof user>> {
      throw new Error('no first prompt');
    }
    const types: string[] = [];
    const run = async () => {
      const options = { pathToClaudeCodeExecutable: fake.path };
      for await (const { type } of query({ prompt: prompts(), options })) types.push(type);
    };

    const ms = await timed(() => expect(run()).rejects.toThrow('no first prompt'));
    expect(ms).toBeLessThan(15_000);
    expect(types).not.toContain('result');
    expect((await fake.pids()).filter(isAlive)).toEqual([]);
  });

  it('costs no process until it is used', async () => {
    const fake = await newFake({});
    query({ prompt: 'never asked', options: { pathToClaudeCodeExecutable: fake.path } });
    for await (const _ of query({ prompt: 'asked', options: { pathToClaudeCodeExecutable: fake.path } }));

    expect(await fake.starts()).toHaveLength(1);
  });
});
