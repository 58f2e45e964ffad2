import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { error, toolUse } from '../../../src/testing/fake-model/script.ts';
import { eventOf, stage } from './stage.ts';
import { linesOf, linesWith, resultsOf, userTexts } from './transcript-of.ts';

const NO_SUCH_MODEL = 'no-such-model-xyz';
const ABORTED = { subtype: 'error_during_execution', is_error: true, terminal_reason: 'aborted_streaming' };

describe('the answer of the real CLI, row by row of WIRE §9', () => {
  it('set_model takes a name nobody knows; the turn fails, and without a name it is reset (WIRE §25.25)', async () => {
    const { start, cli } = await stage({
      script: { rules: [{ when: { model: NO_SUCH_MODEL, promptContains: 'hello' }, reply: error(404) }] },
    });
    const session = await start();
    await session.setModel(NO_SUCH_MODEL);
    const result = await session.prompt('hello').result;

    expect(result).toMatchObject({ outcome: 'failed', error: { code: 'TURN_FAILED' } });
    expect(session.facts.model).toBe(NO_SUCH_MODEL);
    await session.setModel();
    expect((await session.prompt('again').result).outcome).toBe('completed');
    expect(session.facts.model).toMatch(/^claude-/);
    // The CLI says the change in the name of the user; in 2.1.332 not before the first turn.
    const told = userTexts(await linesOf(session)).filter((text) => text.includes('Set model to'));
    expect(told).toHaveLength(cli.since('2.1.220') ? 1 : 2);
  });

  it('set_permission_mode is told at once, and refuses what may not be; 2.1.197 takes a nonsense mode', async () => {
    const { start, cli } = await stage();
    const session = await start();
    expect(await session.setPermissionMode('plan')).toEqual({ mode: 'plan' });
    await linesWith(session, { subtype: 'status', permissionMode: 'plan' });
    expect(session.facts.permissionMode).toBe('plan');

    const bypass = await session.control('set_permission_mode', { mode: 'bypassPermissions' }).catch(asError);
    expect(bypass).toMatchObject({ code: 'CONTROL_REFUSED', details: { cliError: expect.stringContaining('bypass') } });
    const nonsense = await session.control('set_permission_mode', { mode: 'nonsense' }).catch(asError);
    if (cli.since('2.1.220')) {
      expect(bypass).toMatchObject({ details: { cliErrorCode: 'bypass_not_launched' } });
      expect(nonsense).toMatchObject({ code: 'CONTROL_REFUSED', details: { cliErrorCode: 'invalid_mode' } });
    } else {
      expect(nonsense).toEqual({ mode: 'nonsense' });
    }
  });

  it('set_max_thinking_tokens refuses what is no number; 2.1.197 takes it, so it is checked here', async () => {
    const { start, cli } = await stage();
    const session = await start();
    const answer = await session.control('set_max_thinking_tokens', { max_thinking_tokens: 'x' }).catch(asError);
    if (cli.since('2.1.220')) expect(answer).toMatchObject({ code: 'CONTROL_REFUSED' });
    else expect(answer).toEqual({});

    await expect(session.setMaxThinkingTokens('x' as unknown as number)).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      details: { field: 'maxThinkingTokens' },
    });
    await session.setMaxThinkingTokens(null);
  });

  it('rewind_files tells what it would do, does it, and knows only messages of this conversation', async () => {
    const { start, cwd } = await stage();
    const session = await start({ enableFileCheckpointing: true, permissionMode: 'acceptEdits' });
    const file = join(cwd, 'f.txt');
    const turn = session.prompt(`CALL Write ${JSON.stringify({ file_path: file, content: 'v1' })}`);
    await turn.result;
    expect(existsSync(file)).toBe(true);

    expect(await session.rewindFiles(turn.id, { dryRun: true })).toMatchObject({
      canRewind: true,
      filesChanged: [file],
    });
    expect(existsSync(file)).toBe(true);
    expect(await session.rewindFiles(turn.id)).toMatchObject({ canRewind: true });
    expect(existsSync(file)).toBe(false);
    await expect(session.rewindFiles('11111111-1111-4111-8111-111111111111')).rejects.toMatchObject({
      code: 'CONTROL_REFUSED',
    });
  });

  it('stop_task ends a background shell, which is told stopped; the session was idle and stays so (R19)', async () => {
    const command = 'while true; do sleep 300; done';
    const reply = toolUse('Bash', { command, description: 'serve', run_in_background: true });
    const { start } = await stage({
      script: { rules: [{ when: { promptEquals: 'serve', isToolResult: false }, reply }] },
    });
    const session = await start({ allowedTools: ['Bash'] });
    expect((await session.prompt('serve').result).outcome).toBe('completed');
    const started = (await linesWith(session, { subtype: 'task_started' })).find(
      ({ subtype }) => subtype === 'task_started',
    );
    await session.settled({ ceilingMs: 20_000 });
    await session.stopTask(String(started?.['task_id']));

    await linesWith(session, { subtype: 'task_updated', patch: expect.objectContaining({ status: 'killed' }) });
    await linesWith(session, { subtype: 'task_notification', status: 'stopped' });
    expect(session.status).toBe('idle');
    expect(await resultsOf(session)).toHaveLength(1);
  });

  it('end_session lets an idle process go with code 0, and one in a turn with code 1 after its result; that is no close()', async () => {
    const { start } = await stage();
    const idle = await start();
    await idle.prompt('hello').result;
    await idle.control('end_session');
    // Asked of the CLI alone, it is an end that nobody asked the session for: under another policy it would restart.
    const end = (exitCode: number) => ({ reason: 'failed', error: { code: 'CLI_EXITED', details: { exitCode } } });
    expect(await idle.ended).toMatchObject(end(0));

    const busy = await start({ includePartialMessages: true });
    const turn = busy.prompt('SLOW 200');
    await eventOf(busy, 'message', ({ message }) => message.type === 'stream_event');
    await busy.control('end_session');
    expect(await busy.ended).toMatchObject(end(1));
    expect((await turn.result).outcome).toBe('interrupted');
    expect(await resultsOf(busy)).toMatchObject([ABORTED]);
  });

  it('of a request nobody knows is CONTROL_UNSUPPORTED with the release, and the session goes on (P6)', async () => {
    const { start, cli } = await stage();
    const session = await start();
    const unknown = await session.control('totally_unknown').catch(asError);
    expect(unknown).toMatchObject({ code: 'CONTROL_UNSUPPORTED', details: { subtype: 'totally_unknown' } });
    await expect(session.control('')).rejects.toMatchObject({ code: 'INVALID_OPTIONS' });

    expect((await session.prompt('hello').result).outcome).toBe('completed');
    const later = await session.control('totally_unknown').catch(asError);
    expect(later).toMatchObject({ details: { cliVersion: cli.version } });
  });

  it('of a request that was given up is not waited for, and its cancel disturbs nobody', async () => {
    const { start } = await stage();
    const session = await start();
    const controller = new AbortController();
    const usage = session.getContextUsage({ detail: 'full', signal: controller.signal }).catch(asError);
    controller.abort(new Error('enough'));

    expect(await usage).toMatchObject({ code: 'ABORTED' });
    expect(await session.mcpServerStatus()).toEqual([]);
    expect((await session.prompt('hello').result).outcome).toBe('completed');
  });

  it('get_context_usage names what fills the window, in full and in short', async () => {
    const { start } = await stage();
    const session = await start();
    const full = await session.getContextUsage();
    const summary = await session.getContextUsage({ detail: 'summary' });

    for (const usage of [full, summary]) expect(usage.categories.length).toBeGreaterThan(0);
    expect(full.maxTokens).toBeGreaterThan(0);
  });

  it('to initialize is kept: what the process can do, read without asking again (WIRE §1)', async () => {
    const { start, cli } = await stage();
    const session = await start();
    const answer = await session.initializationResult();

    expect(answer.commands.map(({ name }) => name)).toContain('compact');
    expect(answer.models.map(({ value }) => value)).toContain('default');
    expect(answer).toMatchObject({ output_style: 'default', pid: session.pid, account: { apiProvider: 'firstParty' } });
    expect(answer['claude_code_version']).toBe(cli.since('2.1.220') ? cli.version : undefined);
    expect(await session.initializationResult()).toEqual(answer);
  });

  it('apply_flag_settings holds in the process that follows a kill -9 (P8)', async () => {
    const { start, model } = await stage();
    const session = await start({ restart: { type: 'transient', backoff: { minMs: 10, maxMs: 20 } } });
    await session.applyFlagSettings({ effortLevel: 'low' });
    expect((await session.getSettings()).applied).toMatchObject({ effort: 'low' });
    process.kill(session.pid ?? 0, 'SIGKILL');
    await eventOf(session, 'session.restarting');
    await session.prompt('after the crash').result;

    expect((await session.getSettings()).applied).toMatchObject({ effort: 'low' });
    expect(JSON.stringify(model.requests.at(-1)?.body['output_config'])).toContain('low');
  });
});

function asError(reason: unknown): unknown {
  return reason;
}
