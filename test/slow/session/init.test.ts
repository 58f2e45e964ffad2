import { describe, expect, it } from 'vitest';
import { createSdkMcpServer, tool } from '../../../src/index.ts';
import { on, step, when } from '../../../src/testing/fake-cli/scenario.ts';
import { errorFrom, isAlive, newFake, newSupervisor, processesOf, script, stage, timed } from './stage.ts';

describe('a start that gets no answer', () => {
  it('is rejected at its deadline with the evidence, its tree dead, and leaves room for the next (R01)', async () => {
    const silent = await script(
      "trap '' TERM INT HUP",
      'echo "still loading plugins" >&2',
      'setsid sleep 60 &',
      'sleep 60 &',
      'while :; do :; done',
    );
    const healthy = await newFake();
    const supervisor = newSupervisor({ limits: { maxSessions: 1 } });
    for (let number = 1; number <= 5; number += 1) {
      const id = `silent-${number}`;
      const begin = performance.now();
      const error = await errorFrom(
        supervisor.start({ id, pathToClaudeCodeExecutable: silent, timeouts: { initializeMs: 300 } }),
      );
      expect(performance.now() - begin).toBeGreaterThanOrEqual(290);
      expect(performance.now() - begin).toBeLessThan(5_000);
      expect(processesOf(id)).toEqual([]);
      expect(error.code).toBe('INITIALIZE_TIMEOUT');
      expect(error.details).toMatchObject({ deadlineMs: 300, stderrTail: 'still loading plugins' });
      expect(isAlive(error.details['pid'] as number)).toBe(false);
      expect(supervisor.list()).toEqual([]);
      expect(supervisor.load()).toEqual({ sessions: 0, waiting: 0, starting: 0 });
    }
    const session = await supervisor.start({ pathToClaudeCodeExecutable: healthy.path });
    expect((await session.prompt('hello').result).outcome).toBe('completed');
  });

  it('lives on when it is slow but talking (R04)', async () => {
    const frame = { type: 'system', subtype: 'hook_started', session_id: '$session_id' };
    const steps = Array.from({ length: 10 }, () => [step.emit(frame), step.delay(300)]).flat();
    const { start } = await stage({ rules: [on(when.initialize(), ...steps, step.fallThrough())] });
    const ms = await timed(async () => {
      const session = await start({ timeouts: { initializeMs: 1_000 } });
      expect(session.history().map(({ state }) => state)).not.toContain('backing-off');
    });
    expect(ms).toBeGreaterThan(2_900);
  });
});

describe('a start whose process ends', () => {
  it('is rejected long before its deadline with what stderr said and the exit code (R02)', async () => {
    const supervisor = newSupervisor();
    const path = await script('echo "Error: the plan has expired" >&2', 'sleep 0.02', 'exit 7');
    const begin = performance.now();
    const error = await errorFrom(supervisor.start({ pathToClaudeCodeExecutable: path }));
    expect(performance.now() - begin).toBeLessThan(8_000);
    expect(error.code).toBe('CLI_EXITED');
    expect(error.message).toContain('the plan has expired');
    expect(error.details).toMatchObject({ exitCode: 7, signal: null });
  });

  it('prefers the text of an error result to stderr (R02)', async () => {
    const supervisor = newSupervisor();
    const result = { type: 'result', subtype: 'error_during_execution', is_error: true, errors: ['the disk is full'] };
    const path = await script(`printf '%s\\n' '${JSON.stringify(result)}'`, 'echo noise >&2', 'exit 1');
    const begin = performance.now();
    const error = await errorFrom(supervisor.start({ pathToClaudeCodeExecutable: path }));
    expect(performance.now() - begin).toBeLessThan(8_000);
    expect(error.reason).toContain('the disk is full');
    expect(error.reason).not.toContain('noise');
    expect(error.details).toMatchObject({ exitCode: 1 });
  });

  it('names an unknown conversation as such (R02)', async () => {
    const { start } = await stage();
    const error = await errorFrom(start({ resume: '00000000-0000-4000-8000-000000000000' }));
    expect(error.code).toBe('CONVERSATION_NOT_FOUND');
  });

  it('rejects every pending control request with the reason of the exit (R02)', async () => {
    const { start } = await stage({ rules: [on(when.control('boom'), step.stderr('out of memory\n'), step.exit(3))] });
    const session = await start({ restart: { type: 'temporary' } });
    const idle = session.control('never_answered_either');
    const [left, right] = await Promise.all([errorFrom(session.control('boom')), errorFrom(idle)]);
    expect(left.details).toMatchObject({ exitCode: 3 });
    expect(left.message).toContain('out of memory');
    expect(['CLI_EXITED', 'CONTROL_UNSUPPORTED']).toContain(right.code);
  });
});

describe('initialize', () => {
  it('asks a redelivered permission once, and takes the task list as a level (R05)', async () => {
    const request = { subtype: 'can_use_tool', tool_name: 'Bash', input: { command: 'ls' }, tool_use_id: 'toolu_1' };
    const pending = [{ type: 'control_request', request_id: 'waiting-1', request }];
    const answer = {
      type: 'control_response',
      response: { subtype: 'success', request_id: '$request_id', response: {}, pending_permission_requests: pending },
    };
    const tasks = { type: 'system', subtype: 'background_tasks_changed', session_id: '$session_id' };
    const { start } = await stage({
      rules: [
        on(
          when.initialize(),
          step.emit({ type: 'control_request', request_id: 'waiting-1', request }),
          step.emit({ ...tasks, tasks: [{ task_id: 'a', task_type: 'local_agent' }] }),
          step.emit({ ...tasks, tasks: [{ task_id: 'b', task_type: 'local_bash' }] }),
          step.emit(answer),
        ),
      ],
    });
    const session = await start();
    expect(session.permissions.pending().map(({ id }) => id)).toEqual(['waiting-1']);
    expect(session.explain().backgroundTasks).toBe(1);
    await session.permissions.answer('waiting-1', { behavior: 'allow' });
    expect(session.permissions.pending()).toEqual([]);
  });

  it('holds the first prompt until the in-process servers are connected (R06)', async () => {
    const { start, fake } = await stage();
    const nothing = tool('nothing', 'Does nothing.', {}, async () => ({ content: [] }));
    const server = createSdkMcpServer({ name: 'calc', tools: [nothing] });
    const session = await start({ mcpServers: { calc: server } });
    await session.prompt('hello').result;
    const lines = (await fake.journal()).filter((entry) => entry.kind === 'line').map((entry) => JSON.stringify(entry));
    const prompted = lines.findIndex((line) => line.includes('"type":"user"'));
    const listed = lines.findIndex((line) => line.includes('"tools"') && line.includes('mcp_response'));
    expect(listed).toBeGreaterThan(-1);
    expect(prompted).toBeGreaterThan(-1);
    const states = session.history().map(({ state }) => state);
    expect(states.indexOf('mcp-setup')).toBeLessThan(states.indexOf('ready'));
    expect(states).toContain('mcp-setup');
  });
});
