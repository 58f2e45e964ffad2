import { describe, expect, it } from 'vitest';
import type { ObservedEvent, Session } from '../../../src/index.ts';
import { eventOf, stage } from './stage.ts';

const BASH = `CALL Bash ${JSON.stringify({ command: 'for i in 1 2 3; do sleep 1; done; echo done', description: 'wait' })}`;

describe('the watchdog over the real CLI', () => {
  it('warns of a model that says nothing, interrupts it, and the same process takes the next prompt (P5, R61)', async () => {
    const { start } = await stage({ timeouts: { stallMs: 1_000, stallInterruptMs: 4_000 } });
    const session = await start();
    const { pid } = session;
    const turn = session.prompt('HANG');
    const warned = await eventOf(session, 'watchdog.warned');
    expect(warned).toMatchObject({ clock: 'model', interruptAt: expect.any(Number) });
    expect(await turn.result).toMatchObject({ outcome: 'interrupted', error: { code: 'STALLED' } });
    expect((await eventOf(session, 'watchdog.interrupted')).seq).toBeGreaterThan(warned.seq);

    expect((await session.prompt('next').result).outcome).toBe('completed');
    expect([session.pid, session.incarnation]).toEqual([pid, 1]);
  });

  it('waits for a shell longer than the model may be silent (P5)', async () => {
    const { start } = await stage({ timeouts: { stallMs: 1_000 } });
    const session = await start({ allowedTools: ['Bash'] });
    const turn = session.prompt(BASH);
    expect((await turn.result).outcome).toBe('completed');

    const told = await eventsOf(session);
    const [called, returned] = ['"tool_use"', '"tool_result"'].map((kind) =>
      told.findIndex((event) => event.type === 'message' && event.message.raw.includes(kind)),
    );
    expect(called).toBeGreaterThan(-1);
    expect(returned).toBeGreaterThan(called ?? 0);
    const meanwhile = told.slice(called, returned).map(({ type }) => type);
    expect(meanwhile.filter((type) => type.startsWith('watchdog.'))).toEqual([]);
  });
});

/** What the session has logged so far. */
async function eventsOf(session: Session): Promise<ObservedEvent[]> {
  const events: ObservedEvent[] = [];
  for await (const event of session.events()) {
    if (event.type === 'replay.completed') break;
    events.push(event);
  }
  return events;
}
