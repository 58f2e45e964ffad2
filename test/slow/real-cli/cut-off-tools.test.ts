import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { streamText, toolUse } from '../../../src/testing/fake-model/script.ts';
import { eventOf, processesOf, stage } from './stage.ts';
import { recorded } from './transcript-of.ts';

const ID = 'cut-off-tools';
const RUN = 'echo run >> runs.txt; while [ ! -e go ]; do sleep 0.1; done';
const call = toolUse('Bash', { command: RUN, description: 'count' });

/** Takes out of the transcripts what the CLI had not yet written when it was killed: the call and all that follows. */
function forgetCalls(configDir: string): number {
  const projects = join(configDir, 'projects');
  const names = readdirSync(projects, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl'));
  let forgotten = 0;
  for (const path of names.map((name) => join(projects, name))) {
    const lines = readFileSync(path, 'utf8').split('\n');
    const first = lines.findIndex((line) => line.includes('"type":"tool_use"'));
    if (first === -1) continue;
    forgotten += 1;
    writeFileSync(
      path,
      lines
        .slice(0, first)
        .map((line) => `${line}\n`)
        .join(''),
    );
  }
  return forgotten;
}

describe('a turn of the real CLI that a crash cut off behind the beginning of a tool', () => {
  it('is not begun again where the CLI had not written the call down: no tool runs twice (P2, WIRE §15)', async () => {
    const script = { rules: [{ when: { promptContains: 'count', isToolResult: false }, reply: call }] };
    const { start, cwd, configDir } = await stage({ script });
    const backoff = { minMs: 2_000, maxMs: 2_000, jitter: 0 };
    const session = await start({ id: ID, allowedTools: ['Bash'], restart: { type: 'transient', backoff } });
    const turn = session.prompt('count');
    const runs = () => readFileSync(join(cwd, 'runs.txt'), 'utf8');
    await expect.poll(() => processesOf(ID).some(({ command }) => command.startsWith('sleep'))).toBe(true);
    await recorded(configDir, '"type":"tool_use"');
    process.kill(session.pid ?? 0, 'SIGKILL');
    await eventOf(session, 'session.restarting');
    expect(forgetCalls(configDir)).toBe(1);
    const result = await turn.result;

    expect(result.outcome).toBe('lost');
    expect(runs()).toBe('run\n');
    expect((await session.prompt('go on').result).outcome).toBe('completed');
    expect(runs()).toBe('run\n');
    expect(session.incarnation).toBe(2);
  });

  it('is not taken up by the CLI where both the call and its result are written down (P2, WIRE §15)', async () => {
    const rules = [
      { when: { promptContains: 'count', isToolResult: false }, reply: call, times: 1 },
      { when: { promptContains: 'count', isToolResult: true }, reply: streamText({ words: 400, delayMs: 100 }) },
    ];
    const { start, cwd, configDir } = await stage({ script: { rules } });
    const backoff = { minMs: 10, maxMs: 20 };
    const session = await start({ id: ID, allowedTools: ['Bash'], restart: { type: 'transient', backoff } });
    const turn = session.prompt('count');
    writeFileSync(join(cwd, 'go'), '');
    await recorded(configDir, '"type":"tool_result"');
    process.kill(session.pid ?? 0, 'SIGKILL');

    expect((await turn.result).outcome).toBe('lost');
    expect((await session.prompt('go on').result).outcome).toBe('completed');
    expect(readFileSync(join(cwd, 'runs.txt'), 'utf8')).toBe('run\n');
  });
});
