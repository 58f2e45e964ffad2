import { describe, expect, it } from 'vitest';
import { on, step, when } from '../../../src/testing/fake-cli/scenario.ts';
import { newHost, violationsOf } from './fakes.ts';
import { shape } from './host.ts';

describe('what the host does wrong', () => {
  it.each([
    ['{not json\n', 'broken-frame', 'Error parsing streaming input line'],
    ['{"type":"user"}{"type":"user"}\n', 'broken-frame', 'Error parsing streaming input line'],
    ['null\n', 'not-an-object', 'Error parsing streaming input line'],
    ['{"type":"user"}\n', 'wrong-role', "Expected message role 'user', got 'undefined'"],
    ['{"type":"user","message":{"role":"assistant"}}\n', 'wrong-role', "got 'assistant'"],
    ['{"type":"control_request","request_id":"x"}\n', 'missing-request', 'Missing request on control_request'],
  ])('ends the process with exit code 1 and is recorded: %s (WIRE §14)', async (bytes, violation, complaint) => {
    const { host, fake } = await newHost();
    host.raw(bytes);
    const exit = await host.exited;

    expect(exit.code).toBe(1);
    expect(host.stderr).toContain(complaint);
    expect(await violationsOf(fake)).toEqual([violation]);
  });

  it.each([
    ['\n', 'blank-line'],
    ['  \r\n', 'blank-line'],
    ['42\n', 'not-an-object'],
    ['{}\n', 'not-an-object'],
    ['{"type":"wat"}\n', 'unknown-type'],
    [
      Buffer.concat([Buffer.from('{"type":"keep_alive","x":"'), Buffer.from([0xff]), Buffer.from('"}\n')]),
      'invalid-utf8',
    ],
    ['{"type":"control_request","request":{"subtype":"mcp_status"}}\n', 'missing-request-id'],
    ['{"type":"control_response","request_id":"x"}\n', 'misplaced-request-id'],
  ])('is survived but recorded: %j (WIRE §14)', async (bytes, violation) => {
    const { host, fake } = await newHost();
    host.raw(bytes);
    host.prompt('alive?');
    await host.result();
    await host.end();

    expect(await violationsOf(fake)).toEqual([violation]);
  });

  it('kills the old releases already with an unknown type (WIRE §14)', async () => {
    const { host } = await newHost({ flavor: { version: '2.1.19' } });
    host.raw('{"type":"wat"}\n');
    expect((await host.exited).code).toBe(1);
  });

  it('is recorded when the last line lacks its newline, which is read all the same (WIRE §14)', async () => {
    const { host, fake } = await newHost();
    host.raw('{"type":"user","message":{"role":"user","content":"hi"}}');
    await host.end();

    expect(host.frames.at(-1)?.result).toBe('Echo: hi');
    expect(await violationsOf(fake)).toEqual(['unfinished-line']);
  });

  it('is recorded for answers that answer nothing, twice, too late, or too little (WIRE §5)', async () => {
    const ask = (name: string) => step.request({ name, subtype: 'can_use_tool', tool_name: 'Bash', input: {} });
    const steps = [ask('one'), ask('two'), step.cancelRequest('two'), step.awaitResponse('one'), step.result()];
    const { host, fake } = await newHost({ rules: [on(when.prompt('go'), ...steps)] });
    host.prompt('go');
    const one = await host.asked('can_use_tool');
    const two = await host.asked('can_use_tool');
    await host.next((frame) => frame.type === 'control_cancel_request');
    host.answer(two, { behavior: 'deny', message: 'late' });
    host.answer({ request_id: 'nobody' }, {});
    host.answer(one, { behavior: 'deny' });
    host.answer(one, { behavior: 'deny', message: 'again' });
    await host.result();
    await host.end();

    expect(await violationsOf(fake)).toEqual([
      'answer-after-cancel',
      'answer-to-unknown-request',
      'deny-without-message',
      'duplicate-answer',
    ]);
  });

  it('is recorded for an MCP reply without its wrapper (WIRE §4)', async () => {
    const args = ['--mcp-config', '{"mcpServers":{"calc":{"type":"sdk","name":"calc"}}}'];
    const { host, fake } = await newHost({}, { args, env: { MCP_TIMEOUT: '50' }, answersMcp: false });
    host.send({ type: 'control_request', request_id: 'one', request: { subtype: 'initialize' } });
    host.answer(await host.asked('mcp_message'), { jsonrpc: '2.0', id: 0, result: {} });
    await host.end();

    expect(await violationsOf(fake)).toEqual(['missing-mcp-response']);
  });

  it('is recorded when a request id is used again', async () => {
    const { host, fake } = await newHost();
    const request = { type: 'control_request', request_id: 'same', request: { subtype: 'mcp_status' } };
    host.send(request, request);
    await host.end();

    expect(await violationsOf(fake)).toEqual(['reused-request-id']);
  });
});

describe('what a careful host does', () => {
  it('leaves no violation, also with CJK text cut into single bytes (R09)', async () => {
    const { host, fake } = await newHost({
      rules: [on(when.prompt({ contains: '日本' }), step.toolTurn({ tool: 'Bash', input: {} }))],
    });
    await host.initialize();
    const line = JSON.stringify({ type: 'user', message: { role: 'user', content: '日本語 🦊' } });
    for (const byte of Buffer.from(`${line}\n`)) host.raw(Buffer.from([byte]));
    host.answer(await host.asked('can_use_tool'), { behavior: 'allow', updatedInput: {} });
    await host.result();
    await host.end();

    expect(await fake.violations()).toEqual([]);
    const entries = await fake.journal();
    expect(entries.map((entry) => entry.kind)).toEqual([
      'start',
      'line',
      'line',
      'line',
      'decision',
      'tool',
      'eof',
      'exit',
    ]);
    expect(entries[2]).toMatchObject({ message: { message: { content: '日本語 🦊' } } });
    expect(host.frames.map(shape).at(-1)).toBe('result/success');
  });
});
