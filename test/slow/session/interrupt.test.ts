import { describe, expect, it } from 'vitest';
import { on, step, when } from '../../../src/testing/fake-cli/scenario.ts';
import { errorFrom, eventOf, expectNoViolations, isAlive, linesTo, reaches, stage } from './stage.ts';

const TOOL = { id: 'toolu_after', name: 'Bash', input: {} };
const RESULT = { type: 'tool_result', tool_use_id: 'toolu_after', content: 'ok' };

describe('an interrupt', () => {
  it('that is never answered ends at its deadline: typed error, interrupted turn, resumed session (R41)', async () => {
    const { start, fake } = await stage({
      perStart: [{ rules: [on(when.control('interrupt'), step.hang()), on(when.prompt('think'), step.hang())] }, {}],
    });
    const session = await start({ timeouts: { interruptMs: 400 } });
    const turn = session.prompt('think');
    await eventOf(session, 'turn.started');
    const begin = performance.now();
    const error = await errorFrom(session.interrupt());
    expect(error.code).toBe('INTERRUPT_TIMEOUT');
    expect(error.details).toMatchObject({ deadlineMs: 400 });
    expect(performance.now() - begin).toBeGreaterThanOrEqual(390);
    const result = await turn.result;
    expect(result.outcome).toBe('interrupted');
    expect(result.error).toBeUndefined();
    await reaches(session, 'ready', 2);
    expect((await session.prompt('again').result).outcome).toBe('completed');
    const [first, second] = await fake.starts();
    expect(second?.argv).toContain(`--resume=${session.conversationId}`);
    expect(isAlive(first?.pid ?? 0)).toBe(false);
  });

  it('before the process is ready takes the prompt back (R42)', async () => {
    const { start, fake } = await stage();
    const session = await start({ autoStart: false });
    const turn = session.prompt('never mind');
    const receipt = await session.interrupt();
    expect(receipt).toEqual({ effect: 'cancelled', cancelled: [turn.id], stillQueued: [] });
    expect((await turn.result).outcome).toBe('cancelled');
    await reaches(session, 'ready');
    expect((await session.prompt('hello').result).outcome).toBe('completed');
    expect(JSON.stringify(await linesTo(fake))).not.toContain('never mind');
  });

  it('right after the prompt was written waits for the turn and stops it (R42)', async () => {
    const { start } = await stage({
      rules: [
        on(when.prompt({ equals: 'slow', bare: true }), step.delay(400), step.fallThrough()),
        on(when.prompt('slow'), step.delay(20_000), step.echoTurn()),
      ],
    });
    const session = await start();
    const turn = session.prompt('slow');
    const receipt = await session.interrupt();
    expect(receipt.effect).toBe('interrupted');
    expect((await turn.result).outcome).toBe('interrupted');
  });

  it('between the start and the first frame of the turn stops it (R42)', async () => {
    const { start } = await stage({ rules: [on(when.prompt('slow'), step.delay(20_000), step.echoTurn())] });
    const session = await start();
    const turn = session.prompt('slow');
    await eventOf(session, 'prompt.started');
    expect((await session.interrupt()).effect).toBe('interrupted');
    expect((await turn.result).outcome).toBe('interrupted');
  });

  it('after the result says that there was nothing to stop (R42)', async () => {
    const { start } = await stage();
    const session = await start();
    await session.prompt('quick').result;
    expect(await session.interrupt()).toEqual({ effect: 'nothing', cancelled: [], stillQueued: [] });
    expect(session.state).toBe('ready');
    expect((await session.prompt('next').result).outcome).toBe('completed');
  });

  it('is an outcome, no failure: no error, no restart, also while a tool runs or has just ended (R43)', async () => {
    const toolUse = { type: 'assistant', message: { role: 'assistant', content: [{ ...TOOL, type: 'tool_use' }] } };
    const toolResult = { type: 'user', message: { role: 'user', content: [RESULT] } };
    const { start, fake } = await stage({
      rules: [
        on(when.prompt('think'), step.delay(20_000)),
        on(when.prompt('tool'), step.toolTurn({ tool: 'Bash', input: {}, ask: false, runMs: 20_000 })),
        on(when.prompt('after'), step.emit(toolUse), step.emit(toolResult), step.delay(20_000)),
      ],
    });
    const session = await start();
    for (const text of ['think', 'tool', 'after']) {
      const turn = session.prompt(text);
      await eventOf(session, 'prompt.started', ({ promptId }) => promptId === turn.id);
      if (text === 'after')
        await eventOf(session, 'message', ({ message }) =>
          message.raw.includes('"tool_result","tool_use_id":"toolu_after"'),
        );
      await session.interrupt();
      expect(await turn.result).toMatchObject({ outcome: 'interrupted', error: undefined, text: undefined });
    }
    expect((await session.prompt('go on').result).outcome).toBe('completed');
    expect(await fake.starts()).toHaveLength(1);
    expect(session.incarnation).toBe(1);
    await expectNoViolations(fake);
  });

  it('sent twice at once stops one turn, and both callers learn of it (R43, WIRE §8)', async () => {
    const { start } = await stage({ rules: [on(when.prompt('think'), step.delay(20_000))] });
    const session = await start();
    const turn = session.prompt('think');
    await eventOf(session, 'turn.started');
    const receipts = await Promise.all([session.interrupt(), session.interrupt()]);
    expect(receipts.map(({ effect }) => effect)).toEqual(['interrupted', 'interrupted']);
    expect((await turn.result).outcome).toBe('interrupted');
  });

  it.each(['begun', 'ended'])(
    'names the prompts that waited, also one that has %s when the receipt is made (R79)',
    async (fate) => {
      const result = {
        type: 'result',
        subtype: 'error_during_execution',
        is_error: true,
        user_message_uuids: ['first'],
      };
      const lifecycle = { type: 'command_lifecycle', command_uuid: 'held' };
      const later = [
        { type: 'result', subtype: 'success', is_error: false, result: 'done', user_message_uuids: ['held'] },
        { ...lifecycle, state: 'completed' },
      ];
      const lines = [result, { ...lifecycle, state: 'started' }, ...(fate === 'ended' ? later : [])];
      const { start } = await stage({
        rules: [
          on(
            when.control('interrupt'),
            step.respond({ still_queued: ['held'] }),
            step.emitRaw(lines.map((line) => `${JSON.stringify(line)}\n`).join('')),
          ),
          on(when.prompt({ equals: 'held', bare: true }), step.hang()),
          on(when.prompt('go'), step.hang()),
        ],
      });
      const session = await start();
      const turn = session.prompt('go', { id: 'first' });
      await eventOf(session, 'prompt.started');
      session.prompt('held', { id: 'held', onBusy: 'steer' });
      await eventOf(session, 'prompt.delivered', ({ promptId }) => promptId === 'held');
      expect(await session.interrupt()).toEqual({ effect: 'interrupted', cancelled: [], stillQueued: ['held'] });
      expect((await turn.result).outcome).toBe('interrupted');
    },
  );

  it('that is acknowledged while the work goes on is no stop until the process is gone (R45)', async () => {
    const talk = { type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text: 'still' }] } };
    const forever = Array.from({ length: 100 }, () => [step.emit(talk), step.delay(50)]).flat();
    const { start, fake } = await stage({
      rules: [
        on(when.control('interrupt'), step.respond({ still_queued: [] }), ...forever),
        on(when.prompt('go'), step.hang()),
      ],
    });
    const session = await start({ timeouts: { interruptMs: 500 }, restart: { type: 'temporary' } });
    const turn = session.prompt('go');
    await eventOf(session, 'turn.started');
    const error = await errorFrom(session.interrupt());
    expect(error.code).toBe('INTERRUPT_TIMEOUT');
    expect((await turn.result).outcome).toBe('interrupted');
    const { reason, error: end } = await session.ended;
    expect([reason, end?.code]).toEqual(['failed', 'INTERRUPT_TIMEOUT']);
    expect((await fake.pids()).filter(isAlive)).toEqual([]);
    await session.close();
    await session.kill();
    expect((await errorFrom(session.interrupt().then(() => session.control('x')))).code).toBe('SESSION_CLOSED');
  });
});
