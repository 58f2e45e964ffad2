import { setImmediate as nextLoop } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { AbortNotice } from '../../src/abort-notice.ts';
import { TroupeError } from '../../src/errors.ts';
import { openChannel, type Sent } from './channel-harness.ts';
import { type OpenPromise, openPromise } from './open-promise.ts';

describe('questions of the CLI', () => {
  it('are all handled at the same time and answered in any order (R25)', async () => {
    const { sent, cliAsks, channel, asked } = openDesk();
    for (const requestId of ['r1', 'r2', 'r3', 'r4']) cliAsks(requestId, 'can_use_tool');
    await nextLoop();
    expect([...asked.keys()]).toEqual(['r1', 'r2', 'r3', 'r4']);

    for (const requestId of ['r4', 'r2', 'r3', 'r1']) {
      asked.get(requestId)?.answer.resolve({ for: requestId });
      await nextLoop();
    }

    expect(sent).toEqual(
      ['r4', 'r2', 'r3', 'r1'].map((requestId) => ({ success: requestId, response: { for: requestId } })),
    );
    expect(channel.openRequests.theirs).toBe(0);
  });

  it('let the first one wait for the last one (R25)', async () => {
    const last = openPromise<unknown>();
    const { sent, cliAsks } = openChannel({
      handlers: {
        can_use_tool: () => last.promise,
        mcp_message: () => Promise.resolve(last.resolve({ behavior: 'allow' })),
      },
    });
    cliAsks('r1', 'can_use_tool');
    cliAsks('r2', 'mcp_message');
    await nextLoop();
    expect(sent.map(answeredId).sort()).toEqual(['r1', 'r2']);
  });

  it.each([
    ['throws at once', () => thrown(new Error('boom')), { error: 'r1', message: 'boom' }],
    ['rejects', () => Promise.reject(new TypeError('boom')), { error: 'r1', message: 'boom' }],
    ['rejects with a text', () => Promise.reject('boom'), { error: 'r1', message: 'boom' }],
    ['returns nothing', () => Promise.resolve(undefined), { success: 'r1', response: undefined }],
  ])('are answered once by a handler that %s, and nobody else is held back (R25)', async (_title, handler, answer) => {
    const { sent, cliAsks, channel } = openChannel({
      handlers: { hook_callback: handler, mcp_message: () => Promise.resolve({ mcp_response: {} }) },
    });
    cliAsks('r1', 'hook_callback');
    cliAsks('r2', 'mcp_message');
    await nextLoop();
    expect(sent).toContainEqual(answer);
    expect(sent.map(answeredId).sort()).toEqual(['r1', 'r2']);
    expect(channel.openRequests.theirs).toBe(0);
  });

  it.each([
    ['returns', () => Promise.resolve({ late: true })],
    ['throws', () => Promise.reject(new Error('late'))],
  ])('are answered once, by what their handler responds before it %s (R25)', async (_title, end) => {
    const { sent, cliAsks, channel } = openChannel({
      handlers: {
        hook_callback: ({ respond }) => {
          respond({ early: true });
          respond({ early: 'again' });
          return end();
        },
      },
    });
    cliAsks('r1', 'hook_callback');
    await nextLoop();

    expect(sent).toEqual([{ success: 'r1', response: { early: true } }]);
    expect(channel.openRequests.theirs).toBe(0);
  });

  it('are answered with an error when what their handler responds is not JSON (R25)', async () => {
    const { sent, cliAsks } = openChannel({
      handlers: { hook_callback: async ({ respond }) => respond({ big: 1n }) },
    });
    cliAsks('r1', 'hook_callback');
    await nextLoop();

    expect(sent).toEqual([expect.objectContaining({ error: 'r1' })]);
  });

  it('are answered with an error when the handler returns what is not JSON (R25)', async () => {
    const { sent, cliAsks, channel } = openChannel({ handlers: { hook_callback: () => Promise.resolve({ big: 1n }) } });
    cliAsks('r1', 'hook_callback');
    await nextLoop();
    expect(sent).toEqual([{ error: 'r1', message: expect.stringContaining('JSON') }]);
    expect(channel.openRequests.theirs).toBe(0);
  });

  it('are not held back by a handler that never answers (R25)', async () => {
    const { sent, cliAsks, channel, asked } = openDesk();
    cliAsks('r1', 'can_use_tool');
    cliAsks('r2', 'can_use_tool');
    await nextLoop();
    asked.get('r2')?.answer.resolve({});
    await nextLoop();
    expect(sent).toEqual([{ success: 'r2', response: {} }]);
    expect(channel.openRequests.theirs).toBe(1);
  });

  it('are refused with an error when nobody knows their subtype (R15)', async () => {
    const { sent, cliAsks, channel } = openChannel();
    cliAsks('r1', 'zzz_new');
    cliAsks('r2', '');
    await nextLoop();
    expect(sent).toEqual([
      { error: 'r1', message: 'Unsupported control request subtype: zzz_new' },
      { error: 'r2', message: 'Unsupported control request subtype: ' },
    ]);
    expect(channel.openRequests.theirs).toBe(0);
  });

  it('are not taken for the names that every object has (R99)', async () => {
    const { sent, cliAsks } = openChannel();
    cliAsks('r1', 'constructor');
    cliAsks('r2', '__proto__');
    await nextLoop();
    expect(sent.map((line) => 'error' in line)).toEqual([true, true]);
  });

  it('keep their one answer when they are delivered again while they are open (R05)', async () => {
    const { sent, cliAsks, oddities, asked } = openDesk();
    cliAsks('r1', 'can_use_tool');
    cliAsks('r1', 'can_use_tool');
    await nextLoop();
    cliAsks('r1', 'can_use_tool');
    await nextLoop();
    expect(asked.size).toBe(1);
    expect(oddities).toEqual([
      { reason: 'duplicate-request', requestId: 'r1' },
      { reason: 'duplicate-request', requestId: 'r1' },
    ]);

    asked.get('r1')?.answer.resolve({ behavior: 'allow' });
    await nextLoop();
    expect(sent).toEqual([{ success: 'r1', response: { behavior: 'allow' } }]);
  });

  it('are refused over the limit, told, and admitted again when a place is free (P9)', async () => {
    const { sent, cliAsks, oddities, asked } = openDesk({ maxPending: 2 });
    for (const requestId of ['r1', 'r2', 'r3']) cliAsks(requestId, 'can_use_tool');
    await nextLoop();
    expect(sent).toEqual([{ error: 'r3', message: 'Too many control requests are open (2).' }]);
    expect(oddities).toEqual([{ reason: 'too-many-requests', requestId: 'r3' }]);

    asked.get('r1')?.answer.resolve({});
    await nextLoop();
    cliAsks('r4', 'can_use_tool');
    await nextLoop();
    expect([...asked.keys()]).toEqual(['r1', 'r2', 'r4']);
  });

  it('survive a pipe that takes no answer, which is told to whoever waits for it', async () => {
    const ask = openPromise<unknown>();
    const { channel, cliAsks } = openChannel({
      write: () => Promise.reject(new TroupeError('CLI_INPUT_CLOSED')),
      handlers: { can_use_tool: () => ask.promise },
    });
    cliAsks('r1', 'can_use_tool');
    cliAsks('r2', 'unknown');
    const written = channel.answerWritten('r1');
    ask.resolve({});
    expect(await written).toBe(false);
    expect(channel.openRequests.theirs).toBe(0);
  });

  it('tell when their answer was taken by the pipe, and not before', async () => {
    const ask = openPromise<unknown>();
    const pipe = openPromise<void>();
    const { channel, cliAsks } = openChannel({
      write: () => pipe.promise,
      handlers: { can_use_tool: () => ask.promise },
    });
    cliAsks('r1', 'can_use_tool');
    let written: boolean | undefined;
    void channel.answerWritten('r1').then((value) => {
      written = value;
    });

    ask.resolve({});
    await nextLoop();
    expect(written).toBeUndefined();

    pipe.resolve();
    await nextLoop();
    expect(written).toBe(true);
    expect(await channel.answerWritten('never-asked')).toBe(false);
  });
});

describe('a question the CLI takes back', () => {
  it('aborts its handler and is never answered, whatever the handler does later (R26)', async () => {
    const { sent, cliAsks, cliTakesBack, channel, asked, oddities } = openDesk();
    cliAsks('r1', 'can_use_tool');
    cliAsks('r2', 'can_use_tool');
    await nextLoop();
    const written = channel.answerWritten('r1');

    cliTakesBack('r1');
    cliTakesBack('r2');
    expect(asked.get('r1')?.signal.aborted).toBe(true);
    expect(channel.openRequests.theirs).toBe(0);

    asked.get('r1')?.answer.resolve({ behavior: 'allow' });
    asked.get('r2')?.answer.reject(new Error('aborted'));
    await nextLoop();
    expect(sent).toEqual([]);
    expect(await written).toBe(false);
    expect(oddities).toEqual([]);
  });

  it('never reaches its handler when the cancel arrives in the same chunk (R26)', async () => {
    const { sent, cliAsks, cliTakesBack, asked, channel } = openDesk();
    cliAsks('r1', 'can_use_tool');
    cliTakesBack('r1');
    await nextLoop();
    expect(asked.size).toBe(0);
    expect(sent).toEqual([]);
    expect(channel.openRequests.theirs).toBe(0);
  });

  it.each([
    ['unknown', []],
    ['taken back already', ['ask', 'cancel']],
    ['answered already', ['ask', 'answer']],
  ])('does nothing when it is %s, but is told once (R26)', async (_title, before) => {
    const { sent, cliAsks, cliTakesBack, asked, oddities, channel } = openDesk();
    for (const step of before) {
      if (step === 'ask') cliAsks('r1', 'can_use_tool');
      if (step === 'cancel') cliTakesBack('r1');
      if (step === 'answer') asked.get('r1')?.answer.resolve({});
      await nextLoop();
    }
    const answers = sent.length;

    cliTakesBack('r1');
    await nextLoop();

    expect(oddities).toEqual([{ reason: 'unknown-cancel', requestId: 'r1' }]);
    expect(sent).toHaveLength(answers);
    expect(channel.openRequests.theirs).toBe(0);
  });

  it('does not lend its late answer to a new question with the same id (R26)', async () => {
    const answers = [openPromise<unknown>(), openPromise<unknown>()];
    let calls = 0;
    const { sent, cliAsks, cliTakesBack, channel } = openChannel({
      handlers: { can_use_tool: () => answers[calls++]?.promise ?? Promise.resolve('too many calls') },
    });
    cliAsks('r1', 'can_use_tool');
    await nextLoop();
    cliTakesBack('r1');
    cliAsks('r1', 'can_use_tool');
    await nextLoop();

    answers[0]?.resolve('stale');
    await nextLoop();
    expect(sent).toEqual([]);
    expect(channel.openRequests.theirs).toBe(1);

    answers[1]?.resolve('fresh');
    await nextLoop();
    expect(sent).toEqual([{ success: 'r1', response: 'fresh' }]);
  });
});

interface Asked {
  readonly signal: AbortNotice;
  readonly answer: OpenPromise<unknown>;
}

/** A channel whose permission questions wait until the test answers them. */
function openDesk(options: { maxPending?: number } = {}) {
  const asked = new Map<string, Asked>();
  const can_use_tool = ({ requestId, signal }: { requestId: string; signal: AbortNotice }) => {
    const answer = openPromise<unknown>();
    asked.set(requestId, { signal, answer });
    return answer.promise;
  };
  return { ...openChannel({ ...options, handlers: { can_use_tool } }), asked };
}

function answeredId(line: Sent): string | undefined {
  if ('success' in line) return line.success;
  return 'error' in line ? line.error : undefined;
}

function thrown(error: Error): never {
  throw error;
}
