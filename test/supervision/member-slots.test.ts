import { describe, expect, it } from 'vitest';
import { createSupervisor, type GroupOptions } from '../../src/index.ts';
import { simulatedClock } from '../../src/testing/simulated-clock.ts';
import { memoryFleet } from './memory-cli.ts';
import { recoveryHouse } from './recovery-house.ts';

describe('the slot of a member (P9)', () => {
  it('is free for others when the member was taken down, and is waited for when it is wanted again', async () => {
    const { supervisor, clock, group } = await stage({ children: [{ id: 'writer' }, { id: 'reviewer' }] });
    expect(supervisor.load().sessions).toBe(2);

    await group.terminateChild('reviewer');
    expect(supervisor.load().sessions).toBe(1);
    const other = await supervisor.start({ id: 'other' });
    const wanted = group.restartChild('reviewer');
    await settled();
    expect(supervisor.load()).toMatchObject({ sessions: 2, waiting: 1 });

    await other.close();
    expect(await wanted).toMatchObject({ id: 'reviewer', status: 'up' });
    const stopped = supervisor.shutdown();
    await clock.advance(60_000);
    await stopped;
  });

  it('is free, too, when a whole group in a group was taken down', async () => {
    const inner = { id: 'inner', children: [{ id: 'one' }, { id: 'two' }] } as const;
    const { supervisor, group } = await stage({ children: [inner] });

    await group.terminateChild('inner');
    expect(supervisor.load().sessions).toBe(0);
    await group.restartChild('inner');
    expect(supervisor.load().sessions).toBe(2);
    await supervisor.shutdown();
  });

  it('is kept where the group is about to start it again: nobody takes its place meanwhile', async () => {
    const { supervisor, clock, group, fleet } = await stage({
      strategy: 'one_for_all',
      children: [{ id: 'writer' }, { id: 'reviewer' }],
    });
    fleet.running()[0]?.exit(1);
    await clock.advance(10);
    expect(group.children().map(({ state }) => state)).toEqual(['held', 'held']);
    expect(supervisor.load().sessions).toBe(2);

    await clock.advance(5_000);
    expect(group.children().map(({ state }) => state)).toEqual(['ready', 'ready']);
    await supervisor.shutdown();
  });

  it('is waited for no longer than admissionMs by a group of another host, which says so (P5)', async () => {
    const team = { id: 'team', children: [{ id: 'writer' }, { id: 'reviewer' }] } as const;
    const house = recoveryHouse();
    const first = house.host();
    await first.supervisor.group(team);
    first.lose();

    const clock = simulatedClock();
    const limits = { maxSessions: 1 };
    const { supervisor } = house.host({ clock, limits, pathToClaudeCodeExecutable: process.execPath });
    await supervisor.recovered;
    const begun = supervisor.group(team).then(
      () => 'started',
      (error: unknown) => error,
    );
    await settled();
    expect(supervisor.load()).toMatchObject({ sessions: 1, waiting: 1 });
    await clock.advance(30_000);
    expect(await begun).toMatchObject({ code: 'AT_CAPACITY' });
  });
});

async function stage(options: GroupOptions) {
  const clock = simulatedClock();
  const fleet = memoryFleet();
  const supervisor = createSupervisor({
    clock,
    spawn: fleet.open,
    pathToClaudeCodeExecutable: process.execPath,
    limits: { maxSessions: 2 },
  });
  return { supervisor, clock, fleet, group: await supervisor.group({ id: 'team', ...options }) };
}

async function settled(): Promise<void> {
  for (let round = 0; round < 20; round += 1) await new Promise((resolve) => setImmediate(resolve));
}
