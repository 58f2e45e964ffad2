import { describe, expect, it } from 'vitest';
import { on, step, when } from '../../../src/testing/fake-cli/scenario.ts';
import { errorFrom, eventOf, expectNoViolations, kept, linesTo, reaches, stage } from './stage.ts';

const slow = on(when.prompt('slow'), step.delay(400), step.echoTurn());
const endless = on(when.prompt('endless'), step.delay(30_000));

describe('prompts to a busy session', () => {
  it('wait in order; one taken back touches no other; every one ends once (R79)', async () => {
    const { start, fake } = await stage({ rules: [slow] });
    const session = await start();
    const a = session.prompt('slow');
    const [b, c, d] = ['b', 'c', 'd'].map((text) => session.prompt(text));
    expect(await session.cancelPrompt(c?.id ?? '')).toBe(true);
    expect(await session.cancelPrompt(c?.id ?? '')).toBe(false);
    expect(await session.cancelPrompt('unknown')).toBe(false);
    const results = await Promise.all([a, b, c, d].map((turn) => turn?.result));
    expect(results.map((result) => result?.outcome)).toEqual(['completed', 'completed', 'cancelled', 'completed']);
    expect(results.map((result) => result?.text)).toEqual(['Echo: slow', 'Echo: b', undefined, 'Echo: d']);
    expect(await session.cancelPrompt(a.id)).toBe(false);
    const ended = (await kept(session)).filter(({ type }) => type === 'prompt.ended');
    expect(ended).toHaveLength(4);
    await expectNoViolations(fake);
  });

  it('may be refused, may steer the running turn, may replace it (R79)', async () => {
    const { start } = await stage({
      rules: [endless, on(when.prompt('tool'), step.toolTurn({ tool: 'Bash', input: {}, ask: false, runMs: 600 }))],
    });
    const session = await start();
    const tool = session.prompt('tool');
    expect((await errorFrom((async () => session.prompt('x', { onBusy: 'reject' }))())).code).toBe('SESSION_BUSY');
    const steered = session.prompt('steer', { onBusy: 'steer' });
    const results = await Promise.all([tool.result, steered.result]);
    expect(results.map(({ outcome }) => outcome)).toEqual(['completed', 'completed']);
    expect((await session.prompt('free', { onBusy: 'reject' }).result).text).toBe('Echo: free');
    const replaced = session.prompt('endless');
    const queued = session.prompt('queued');
    await eventOf(session, 'prompt.started', ({ promptId }) => promptId === replaced.id);
    const replacing = session.prompt('instead', { onBusy: 'interrupt' });
    expect((await replaced.result).outcome).toBe('interrupted');
    expect((await replacing.result).text).toBe('Echo: instead');
    expect((await queued.result).text).toBe('Echo: queued');
  });

  it('run after an interrupt, or are taken back with it, as its receipt says (R79)', async () => {
    const { start } = await stage({ rules: [endless] });
    const session = await start();
    const first = session.prompt('endless');
    const waiting = session.prompt('endless');
    const last = session.prompt('last');
    await eventOf(session, 'prompt.started', ({ promptId }) => promptId === first.id);
    expect((await session.interrupt()).stillQueued).toContain(last.id);
    await eventOf(session, 'prompt.started', ({ promptId }) => promptId === waiting.id);
    const receipt = await session.interrupt({ cancelQueued: true });
    expect(receipt).toEqual({ effect: 'interrupted', cancelled: [last.id], stillQueued: [] });
    const results = await Promise.all([first, waiting, last].map(({ result }) => result));
    expect(results.map(({ outcome }) => outcome)).toEqual(['interrupted', 'interrupted', 'cancelled']);
  });

  it('are bounded, keep their ids, and are the same turn under the same id (R79, P2, P9)', async () => {
    const { start, fake } = await stage({ rules: [slow] });
    const session = await start({ limits: { maxPromptQueue: 2 } });
    const id = '22222222-2222-4222-8222-222222222222';
    const first = session.prompt('slow', { id });
    expect(session.prompt('slow', { id })).toBe(first);
    session.prompt('b');
    session.prompt('c');
    const full = await errorFrom((async () => session.prompt('d'))());
    expect([full.code, full.details['limit']]).toEqual(['PROMPT_QUEUE_FULL', 2]);
    await first.result;
    expect(session.prompt('slow', { id })).toBe(first);
    expect((await errorFrom((async () => session.prompt('other', { id }))())).code).toBe('PROMPT_ID_USED');
    expect((await errorFrom((async () => session.prompt('  \n'))())).code).toBe('INVALID_PROMPT');
    await session.close();
    const sent = (await linesTo(fake)).filter(({ uuid }) => uuid === id);
    expect(sent).toHaveLength(1);
  });

  it('sent at the instant of a result run all the same (R79)', async () => {
    const { start } = await stage();
    const session = await start();
    for (let round = 0; round < 20; round += 1) {
      const turn = session.prompt(`round ${round}`);
      await eventOf(session, 'turn.ended', ({ promptIds }) => promptIds.includes(turn.id));
      expect((await session.prompt(`at once ${round}`).result).text).toBe(`Echo: at once ${round}`);
    }
  });
});

describe('turns of the CLI itself', () => {
  const notice = (text: string) => step.echoTurn({ text });

  it('are turns of their own, read between prompts, and idle means that no task is left (R72)', async () => {
    const task = (id: string, subtype: string, more: Record<string, unknown>) =>
      step.emit({ type: 'system', subtype, task_id: id, session_id: '$session_id', ...more });
    const started = (id: string) => task(id, 'task_started', { task_type: 'local_agent' });
    const done = (id: string) => task(id, 'task_notification', { status: 'completed' });
    const { start } = await stage({
      rules: [
        on(
          when.prompt('go'),
          ...['a', 'b', 'c'].map(started),
          step.echoTurn(),
          step.delay(200),
          ...['a', 'b', 'c'].map(done),
          started('d'),
          notice('three are done, a fourth was started'),
          step.delay(200),
          done('d'),
          notice('all are done'),
        ),
      ],
    });
    const session = await start();
    expect((await session.prompt('go').result).text).toBe('Echo: go');
    await session.settled();
    const ended = (await kept(session)).flatMap((event) => (event.type === 'turn.ended' ? [event] : []));
    expect(ended.map(({ promptIds, origin }) => [promptIds.length, origin])).toEqual([
      [1, undefined],
      [0, 'task-notification'],
      [0, 'task-notification'],
    ]);
    expect(session.status).toBe('idle');
  });

  it('never answer a prompt in its place, with or without a lifecycle (R73, P3)', async () => {
    for (const version of ['2.1.332', '2.1.197'] as const) {
      const leftover = step.emit({
        type: 'result',
        subtype: 'success',
        is_error: false,
        result: 'leftover',
        origin: { kind: 'task-notification' },
        session_id: '$session_id',
      });
      const { start } = await stage({
        flavor: { version },
        rules: [on(when.prompt('go'), leftover, step.delay(50), step.echoTurn())],
      });
      const session = await start();
      expect((await session.prompt('go').result).text).toBe('Echo: go');
    }
  });
});

describe('results', () => {
  it('add up the cost as rises of a running total, also over a restart (R84)', async () => {
    const total = (usd: number) => step.result({ total_cost_usd: usd });
    const { start } = await stage({
      perStart: [
        {
          rules: [
            on(when.prompt('1'), total(0.1)),
            on(when.prompt('2'), total(0.25)),
            on(when.prompt('3'), total(0.4)),
            on(when.control('die'), step.killSelf('SIGKILL')),
          ],
        },
        { rules: [on(when.prompt('4'), total(0.05))] },
      ],
    });
    const session = await start();
    const costs: (number | undefined)[] = [];
    for (const text of ['1', '2', '3']) costs.push((await session.prompt(text).result).costUsd);
    await errorFrom(session.control('die'));
    await reaches(session, 'ready', 2);
    costs.push((await session.prompt('4').result).costUsd);
    const rounded = costs.map((usd) => Math.round((usd ?? 0) * 1_000) / 1_000);
    expect(rounded).toEqual([0.1, 0.15, 0.15, 0.05]);
    expect(session.usage().costUsd).toBeCloseTo(0.45);
    expect(session.usage().turns).toBe(4);
  });

  it('fail by is_error, whatever their subtype says; no result at all is a failure too (R88, P3)', async () => {
    const api = { subtype: 'success', is_error: true, result: 'API Error: 400 bad', api_error_status: 400 };
    const { start } = await stage({
      rules: [on(when.prompt('api'), step.result(api)), on(when.prompt('none'), step.exit(0))],
    });
    const session = await start({ restart: { type: 'temporary' } });
    const failed = await session.prompt('api').result;
    expect(failed).toMatchObject({ outcome: 'failed', text: undefined });
    expect(failed.error?.code).toBe('TURN_FAILED');
    expect(failed.error?.message).toContain('API Error: 400 bad');
    expect(failed.error?.details).toMatchObject({ apiErrorStatus: 400 });
    const none = await session.prompt('none').result;
    expect([none.outcome, none.text, none.error?.code]).toEqual(['failed', undefined, 'CLI_EXITED']);
  });
});
