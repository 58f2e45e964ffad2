import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { processesOf, stage } from './stage.ts';

describe('a warm process of the real CLI', () => {
  it('serves the start that takes it: it answers, asks the callbacks of that start, and its end is seen (P1, P4)', async () => {
    const { supervisor, setting, start, cwd } = await stage();
    const asked: string[] = [];
    const hooked: string[] = [];
    const hooks = (name: string) => {
      const note = () => {
        hooked.push(name);
        return {};
      };
      return { PreToolUse: [{ hooks: [note] }] };
    };
    const pool = await supervisor.prewarm({ ...setting, hooks: hooks('of the pool') });
    const [warm] = processesOf(pool.id);
    expect([pool.ready, warm?.pid]).toEqual([1, expect.any(Number)]);

    const session = await start({
      hooks: hooks('of the start'),
      canUseTool: (toolName) => {
        asked.push(toolName);
        return { behavior: 'allow' };
      },
    });
    expect(session.pid).toBe(warm?.pid);
    const call = { command: 'echo hi > out.txt', description: 'write' };
    const { outcome } = await session.prompt(`CALL Bash ${JSON.stringify(call)}`).result;
    expect([outcome, asked, hooked]).toEqual(['completed', ['Bash'], ['of the start']]);
    expect(readFileSync(join(cwd, 'out.txt'), 'utf8')).toBe('hi\n');

    await pool.close();
    expect(processesOf(pool.id).map(({ pid }) => pid)).toEqual([warm?.pid]);
    const sleep = { command: 'setsid sleep 300 & echo $! > pid.txt', description: 'leave one behind' };
    await session.prompt(`CALL Bash ${JSON.stringify(sleep)}`).result;
    const left = readFileSync(join(cwd, 'pid.txt'), 'utf8').trim();
    expect(processesOf(pool.id).map(({ pid }) => pid)).toContain(Number(left));
    await session.kill();
    expect(processesOf(pool.id)).toEqual([]);
  });

  it('that was killed is not handed out', async () => {
    const { supervisor, setting, start } = await stage();
    const pool = await supervisor.prewarm(setting);
    const pid = processesOf(pool.id)[0]?.pid ?? 0;
    process.kill(pid, 'SIGKILL');
    const session = await start();
    expect([session.state, session.incarnation, session.pid === pid]).toEqual(['ready', 1, false]);
    expect((await session.prompt('hello').result).outcome).toBe('completed');
  });
});
