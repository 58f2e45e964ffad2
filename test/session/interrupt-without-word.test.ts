import { describe, expect, it } from 'vitest';
import { type MemoryCli, memoryStage, subtypeOf, until } from './memory-cli.ts';

describe('an interrupt that the engine has no word for (DIALECTS §3)', () => {
  it('is rejected as CONTROL_UNSUPPORTED, and the turn goes on to its own end', async () => {
    const { session, cli, events } = await memoryStage({ dialect: 'json-rpc', behave: engine });
    const turn = session.prompt('work');
    await until(() => session.status === 'running' && methods(cli()).includes('user_message'));
    notify(cli(), 'assistant_token', { token: 'Half', message_id: 'm1' });
    await until(() => events.some(({ type }) => type === 'turn.started'));

    const error = await session.interrupt().catch((it: unknown) => it);

    expect(error).toMatchObject({ code: 'CONTROL_UNSUPPORTED', details: { subtype: 'interrupt' } });
    expect(session.status).toBe('running');
    notify(cli(), 'assistant_token', { token: ' done', message_id: 'm1' });
    endPrompt(cli());
    expect(await turn.result).toMatchObject({ outcome: 'completed', text: 'Half done' });
    expect(session.incarnation).toBe(1);
    expect(session.status).toBe('idle');
  });

  it('leaves a prompt that waits where it is', async () => {
    const { session, cli, events } = await memoryStage({ dialect: 'json-rpc', behave: engine });
    const first = session.prompt('work');
    const second = session.prompt('more');
    await until(() => methods(cli()).includes('user_message'));
    notify(cli(), 'assistant_token', { token: 'x', message_id: 'm1' });
    await until(() => events.some(({ type }) => type === 'turn.started'));

    await expect(session.interrupt()).rejects.toMatchObject({ code: 'CONTROL_UNSUPPORTED' });

    endPrompt(cli());
    expect(await first.result).toMatchObject({ outcome: 'completed' });
    await until(() => methods(cli()).filter((it) => it === 'user_message').length === 2);
    endPrompt(cli());
    expect(await second.result).toMatchObject({ outcome: 'completed' });
  });
});

describe('an interrupt of background work that the CLI has no word for', () => {
  it('is rejected as CONTROL_UNSUPPORTED, too', async () => {
    const { session, cli } = await memoryStage({ behave: refuseInterrupt });
    cli().say({ type: 'system', subtype: 'session_state_changed', state: 'running' });
    await until(() => session.status === 'running');
    await expect(session.interrupt()).rejects.toMatchObject({ code: 'CONTROL_UNSUPPORTED' });
  });
});

function refuseInterrupt(cli: MemoryCli, line: Record<string, unknown>): boolean {
  if (subtypeOf(line) !== 'interrupt') return true;
  const error = 'Unsupported control request subtype: interrupt';
  cli.say({ type: 'control_response', response: { subtype: 'error', request_id: line['request_id'], error } });
  return false;
}

/** An engine as the write-up has it: it greets, and knows no `interrupt`. */
function engine(cli: MemoryCli, { id, method }: Record<string, unknown>): boolean {
  if (method === 'initialize') write(cli, { id, result: { protocol_version: '1.0', capabilities: { tools: [] } } });
  if (method === 'interrupt') write(cli, { id, error: { code: -32_601, message: 'Method not found' } });
  return false;
}

function methods({ heard }: MemoryCli): unknown[] {
  return heard.map(({ method }) => method);
}

function endPrompt(cli: MemoryCli): void {
  const id = cli.heard.findLast(({ method }) => method === 'user_message')?.['id'];
  notify(cli, 'turn_complete', { stop_reason: 'end_turn' });
  write(cli, { id, result: { status: 'completed', usage: { input_tokens: 1, output_tokens: 1 } } });
}

function notify(cli: MemoryCli, method: string, params: object): void {
  write(cli, { method, params });
}

function write({ peer }: MemoryCli, message: object): void {
  peer.output(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}
