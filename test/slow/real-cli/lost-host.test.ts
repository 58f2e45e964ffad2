import { describe, expect, it, onTestFinished } from 'vitest';
import { reapOrphans } from '../../../src/index.ts';
import { startHost } from '../../chaos/host-program.ts';
import { processesOf, stage } from './stage.ts';

/** A command that does not end; the CLI refuses a lone sleep. */
const ENDLESS = { command: 'while true; do sleep 300; done', description: 'sleep' };
const DETACHED = { command: 'setsid sleep 300 >/dev/null 2>&1 & echo', description: 'sleep' };
/** Longer than the 5 s that 2.1.197 takes to end its background commands. */
const WELL_BEYOND_MS = 12_000;

describe('the real CLI whose host was killed (P1, R49, WIRE §15)', () => {
  it('ends by itself when it was idle', async () => {
    const { id } = await lostCli();
    await expect.poll(() => processesOf(id), { timeout: 20_000 }).toEqual([]);
  });

  it('finishes a streaming turn and ends', async () => {
    const { id, requests } = await lostCli('SLOW 40');
    expect(processesOf(id)).not.toEqual([]);
    await expect.poll(() => processesOf(id), { timeout: 40_000 }).toEqual([]);
    expect(requests()).toBe(1);
  });

  it('works on for a background command from 2.1.220 on, and ends it before that', async () => {
    // Without the name of its host, so that no sweep of another test ends what is to be seen here.
    const { id, cli } = await lostCli(call({ ...ENDLESS, run_in_background: true }), { keepDescendants: true });
    await expect.poll(() => commandsOf(id), { timeout: 20_000 }).toContain('sleep');
    if (cli.since('2.1.220')) {
      await new Promise((resolve) => setTimeout(resolve, WELL_BEYOND_MS));
      expect(commandsOf(id)).toContain('sleep');
    } else {
      await expect.poll(() => processesOf(id), { timeout: WELL_BEYOND_MS }).toEqual([]);
    }
  });

  it.each([
    ['a tool', call(ENDLESS)],
    ['a background command', call({ ...ENDLESS, run_in_background: true })],
    ['what a tool detached', call(DETACHED)],
  ])('is swept with %s', async (_case, prompt) => {
    const { id, working } = await lostCli(prompt, { untilWorking: true });
    expect(working).toBe(true);
    await reapOrphans();
    expect(processesOf(id)).toEqual([]);
  });
});

interface LostOptions {
  readonly keepDescendants?: boolean;
  /** Waits, before the host is killed, until the tool sleeps. */
  readonly untilWorking?: boolean;
}

/** A session in a host of its own that was killed while the CLI worked on the prompt. */
async function lostCli(
  prompt?: string,
  { keepDescendants = false, untilWorking = prompt?.startsWith('CALL') === true }: LostOptions = {},
) {
  const { setting, cli, model } = await stage();
  const id = `lost-${crypto.randomUUID()}`;
  const prompts = prompt === undefined ? [] : [{ id: crypto.randomUUID(), text: prompt }];
  const options = { ...setting, id, allowedTools: ['Bash'], keepDescendants };
  const host = startHost({ supervisor: { reap: 'off' }, sessions: [{ options, prompts }] }, process.env);
  onTestFinished(() => {
    for (const { pid } of processesOf(id)) process.kill(pid, 'SIGKILL');
  });
  await host.heard('ready');
  if (prompt !== undefined) await expect.poll(() => model.requests.length, { timeout: 20_000 }).toBeGreaterThan(0);
  if (untilWorking) await expect.poll(() => commandsOf(id), { timeout: 20_000 }).toContain('sleep');
  const working = commandsOf(id).includes('sleep');
  host.kill('SIGKILL');
  await host.ended;
  return { id, cli, working, requests: () => model.requests.length };
}

function call(input: object): string {
  return `CALL Bash ${JSON.stringify(input)}`;
}

function commandsOf(id: string): string[] {
  return processesOf(id).map(({ command }) => command.split(' ')[0] ?? '');
}
