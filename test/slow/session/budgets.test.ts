import { describe, expect, it } from 'vitest';
import { errorFrom, eventOf, processesOf, reaches, stage } from './stage.ts';

/** What the fake says that a turn costs, without asking for more. */
const TURN_USD = 0.000_44;

describe('a budget over processes (SEMANTICS c12)', () => {
  it('that parks ends the process, keeps the next prompt, and runs it in a new one when it is raised', async () => {
    const { supervisor, start } = await stage({}, { budget: { maxUsd: TURN_USD } });
    const session = await start({ id: 'parks' });
    await session.prompt('first').result;
    const later = session.prompt('second');
    await reaches(session, 'parked');
    expect(processesOf('parks')).toEqual([]);

    supervisor.raiseBudget('total', { usd: 1 });
    expect((await later.result).outcome).toBe('completed');
    expect(session.incarnation).toBe(2);
    const { costUsd: usd } = session.usage();
    expect(supervisor.ledger().total).toMatchObject({ spent: { usd, turns: 2 } });
  });

  it('that interrupts lets nothing more go out, and ends the process when the turn is over', async () => {
    const { start } = await stage({}, { budget: { perSessionTurns: 1, onLimit: 'interrupt' } });
    const session = await start({ id: 'interrupts' });
    await session.prompt('first').result;

    await reaches(session, 'parked');
    expect(processesOf('interrupts')).toEqual([]);
  });

  it('that kills leaves no process behind, and says why the session ended (P1)', async () => {
    const { start } = await stage({}, { budget: { perKeyUsd: TURN_USD, onLimit: 'kill' } });
    const [one, two] = [await start({ id: 'one', key: 'shop' }), await start({ id: 'two', key: 'shop' })];
    await one.prompt('first').result;

    expect(await two.ended).toMatchObject({ reason: 'failed', error: { code: 'BUDGET_REACHED' } });
    expect(await eventOf(one, 'session.ended')).toMatchObject({ cause: { code: 'BUDGET_REACHED' } });
    expect([...processesOf('one'), ...processesOf('two')]).toEqual([]);
    expect((await errorFrom(start({ key: 'shop' }))).code).toBe('BUDGET_REACHED');
  });
});
