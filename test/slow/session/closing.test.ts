import { describe, expect, it } from 'vitest';
import { step } from '../../../src/testing/fake-cli/scenario.ts';
import { isAlive, stage, timed } from './stage.ts';

/** How the processes ended, as they noted it themselves; one that was killed by force could note nothing. */
async function endOf(scenario: Parameters<typeof stage>[0]) {
  const { start, fake } = await stage(scenario, { timeouts: { closeGraceMs: 400, terminateGraceMs: 5_000 } });
  const session = await start();
  const ms = await timed(() => session.close());
  expect((await fake.pids()).filter(isAlive)).toEqual([]);
  const journal = await fake.journal();
  return {
    ms,
    reasons: journal.flatMap((entry) => (entry.kind === 'exit' ? [entry.reason] : [])),
    signals: journal.flatMap((entry) => (entry.kind === 'signal' ? [entry.name] : [])),
  };
}

describe('the ladder of a close (P1, PEER test_transport)', () => {
  it('sends no signal to a process that leaves when its input ends', async () => {
    expect(await endOf({})).toMatchObject({ reasons: ['eof'], signals: [] });
  });

  it('sends SIGTERM after the grace, and nothing more to a process that leaves then', async () => {
    const { ms, reasons, signals } = await endOf({ atStart: [step.ignore('eof')] });

    expect(ms).toBeGreaterThanOrEqual(390);
    expect(ms).toBeLessThan(5_000);
    expect([reasons, signals]).toEqual([['signal'], ['SIGTERM']]);
  });

  it('uses force on a process that stays all the same', async () => {
    const { ms, reasons, signals } = await endOf({ atStart: [step.ignore('eof'), step.ignore('SIGTERM')] });

    expect(ms).toBeGreaterThanOrEqual(5_390);
    expect([reasons, signals]).toEqual([[], ['SIGTERM']]);
  });
});
