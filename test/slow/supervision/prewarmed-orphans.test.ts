import { describe, expect, it, onTestFinished } from 'vitest';
import { reapOrphans, type SupervisorOptions } from '../../../src/index.ts';
import { step } from '../../../src/testing/fake-cli/scenario.ts';
import { startHost } from '../../chaos/host-program.ts';
import { isAlive, newFake, newSupervisor, processesOf, script } from '../session/stage.ts';

describe('a host that is killed with a pool (P1, R49)', () => {
  it('leaves processes that the next supervisor ends: one that waited, and one that a session had taken', async () => {
    const { host, id, family } = await pooledHost({ reap: 'off' });
    host.kill('SIGKILL');
    await host.ended;
    expect(family().length).toBeGreaterThan(0);

    await newSupervisor({ timeouts: { terminateGraceMs: 300 } }).start({ pathToClaudeCodeExecutable: await healthy() });
    expect([family(), processesOf(id)]).toEqual([[], []]);
  });

  it('leaves none where onHostLost ends what it had', async () => {
    const { host, family } = await pooledHost({ reap: 'off', onHostLost: 'end' });
    host.kill('SIGKILL');
    await host.ended;
    await expect.poll(family, { timeout: 30_000 }).toEqual([]);
  });
});

/** A pool of one in a host of its own, whose process a session took and which was filled again; nothing ends them but force. */
async function pooledHost(options: SupervisorOptions) {
  const deaf = await newFake({ atStart: [step.ignore('eof'), step.ignore('SIGTERM')] });
  const launch = {
    pathToClaudeCodeExecutable: await script(
      '( setsid sh -c "sleep 300 & wait" & ) </dev/null >/dev/null 2>&1',
      `exec '${deaf.path}' "$@"`,
    ),
  };
  const host = startHost(
    {
      supervisor: { ...options, timeouts: { closeGraceMs: 200, terminateGraceMs: 200 } },
      pool: { options: launch, count: 1 },
      sessions: [{ options: launch }],
    },
    process.env,
  );
  onTestFinished(async () => {
    host.kill('SIGKILL');
    await host.ended;
    await reapOrphans({ terminateGraceMs: 100 });
  });
  const taken = await host.heard('ready');
  const first = await host.heard('filled');
  expect(taken.pid).toBe(first.pid);
  const id = first.poolId;
  const second = await host.heard('filled', ({ pid }) => pid !== first.pid);
  // Each with the two relatives that it sent far away; a taken process keeps the name of its pool.
  await expect.poll(() => processesOf(id).length, { timeout: 30_000 }).toBe(6);
  const pids = processesOf(id);
  expect(pids).toEqual(expect.arrayContaining([first.pid, second.pid]));
  return { host, id, family: () => pids.filter(isAlive) };
}

async function healthy(): Promise<string> {
  return (await newFake()).path;
}
