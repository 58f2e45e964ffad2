import { describe, expect, it } from 'vitest';
import { createSupervisor, type SupervisorOptions, TroupeError } from '../../src/index.ts';
import { simulatedClock } from '../../src/testing/simulated-clock.ts';
import { type MemoryPrompt, memoryFleet } from './memory-cli.ts';

describe('what a member is in the middle of', () => {
  it('is sent again when the member is restarted with another one that failed (P2, docs/groups.md)', async () => {
    const { group, clock, prompts, crash, supervisor } = await stage();
    const turn = group.session('writer')?.prompt('write');
    await until(() => prompts.length === 1);
    crash('reviewer');
    await settled();
    expect(group.session('writer')?.state).toBe('held');

    await clock.advance(5_000);
    await until(() => prompts.length === 2);
    expect(prompts.map(({ uuid }) => uuid)).toEqual([turn?.id, turn?.id]);
    prompts[1]?.complete('written');
    expect(await turn?.result).toMatchObject({ outcome: 'completed', text: 'written', error: undefined });
    await supervisor.shutdown();
  });

  it('is lost then where it must not run twice, and not interrupted by nobody (P2, P3)', async () => {
    const { group, prompts, crash, supervisor } = await stage({ onPromptLost: 'fail' });
    const turn = group.session('writer')?.prompt('write');
    await until(() => prompts.length === 1);
    crash('reviewer');

    expect(await turn?.result).toMatchObject({
      outcome: 'lost',
      error: { code: 'PROMPT_LOST', reason: 'Its group ended the process.' },
    });
    await supervisor.shutdown();
  });

  it('is interrupted, and no error, when its owner takes the member down (P3)', async () => {
    const { group, prompts, supervisor } = await stage();
    const turn = group.session('writer')?.prompt('write');
    await until(() => prompts.length === 1);
    await group.terminateChild('writer');

    expect(await turn?.result).toMatchObject({ outcome: 'interrupted', error: undefined });
    await supervisor.shutdown();
  });
});

it('a group that cannot be started again rejects with an error that has a code (P6)', async () => {
  let isBroken = false;
  const { group, supervisor } = await stage({}, () => isBroken);
  await group.hold('wish');
  isBroken = true;

  const error: unknown = await group.start().catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(TroupeError);
  expect(error).toMatchObject({ code: 'SPAWN_FAILED' });
  await supervisor.shutdown();
});

/** Two members that stand and fall together; no turn ends by itself. */
async function stage(options: SupervisorOptions = {}, isBroken = () => false) {
  const clock = simulatedClock();
  const prompts: MemoryPrompt[] = [];
  const fleet = memoryFleet((prompt) => prompts.push(prompt));
  const supervisor = createSupervisor({
    ...options,
    clock,
    spawn: async (...plan) => {
      if (isBroken()) throw new TroupeError('SPAWN_FAILED');
      return fleet.open(...plan);
    },
    pathToClaudeCodeExecutable: process.execPath,
  });
  const children = [{ id: 'writer' }, { id: 'reviewer' }];
  const group = await supervisor.group({ id: 'team', strategy: 'one_for_all', children });
  const crash = (id: string) =>
    fleet
      .running()
      .find((cli) => cli.sessionId === id)
      ?.exit(1);
  return { supervisor, clock, prompts, group, crash };
}

async function settled(): Promise<void> {
  for (let round = 0; round < 20; round += 1) await new Promise((resolve) => setImmediate(resolve));
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
}
