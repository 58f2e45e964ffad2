import { describe, expect, it } from 'vitest';
import { type MemoryCli, sendPrompt, subtypeOf, until } from '../../session/memory-cli.ts';
import { engineStage, type Json } from './front-end.ts';

describe('a permission request of the JSON-RPC dialect', () => {
  it('goes to every front end that may answer; the first answer decides, and the others are told by whom (P4)', async () => {
    const { join, cli, session } = await engineStage();
    const [ada, bob] = [await join('ada'), await join('bob')];
    const watcher = await join('watcher', { role: 'observer' });
    const other = await join('reader', {}, ['read']);
    await sendPrompt(session, cli());
    askFor(cli(), 'npm install express');

    const asked = await ada.asked('permission_request');
    expect(asked.params).toMatchObject({
      session_id: 'review',
      tool: 'Bash',
      command: 'npm install express',
      risk_level: 'medium',
      kind: 'tool',
      input: { command: 'npm install express' },
    });
    const same = await bob.asked('permission_request');
    for (const one of [watcher, other]) {
      await until(() => one.notices('permission_pending').length === 1);
      expect(one.notices('permission_pending')).toEqual([asked.params]);
    }
    expect(session.permissions.pending()).toHaveLength(1);

    bob.reply(same.id, { decision: 'deny', message: 'not this one' });
    ada.reply(asked.id, { decision: 'allow', scope: 'once' });
    await until(() => [ada, bob, watcher, other].every((one) => one.notices('permission_resolved').length === 1));
    for (const one of [ada, bob, watcher, other]) {
      expect(one.notices('permission_resolved')).toEqual([
        { session_id: 'review', request_id: asked.params['request_id'], outcome: 'denied', by: 'bob' },
      ]);
    }
    expect(decisions(cli())).toEqual([{ behavior: 'deny', message: 'not this one' }]);
    // Who was second is told so, typed.
    expect(ada.notices('answer_refused')).toMatchObject([
      { code: 'PERMISSION_SETTLED', details: { outcome: 'denied', by: 'bob' } },
    ]);
    expect(bob.notices('answer_refused')).toEqual([]);
  });

  it('remembers an answer for the session as a rule (DIALECTS §3)', async () => {
    const { join, cli, session } = await engineStage();
    const ada = await join();
    await sendPrompt(session, cli());
    askFor(cli(), 'npm test');
    ada.reply((await ada.asked('permission_request')).id, { decision: 'allow', scope: 'session' });
    await until(() => decisions(cli()).length === 1);

    askFor(cli(), 'npm test');
    await until(() => decisions(cli()).length === 2);
    expect(ada.received.filter(({ method }) => method === 'permission_request')).toHaveLength(1);
    expect(decisions(cli()).map(({ behavior }) => behavior)).toEqual(['allow', 'allow']);
  });

  it('is nothing that a front end decides by leaving, or by saying that it cannot answer (P4)', async () => {
    const { join, cli, session } = await engineStage();
    const ada = await join('ada');
    await sendPrompt(session, cli());
    askFor(cli(), 'ls');
    const { id } = await ada.asked('permission_request');
    ada.say({ jsonrpc: '2.0', id, error: { code: -32_000, message: 'no screen' } });
    ada.hangUp();
    await until(() => true);
    expect(session.permissions.pending()).toHaveLength(1);
    expect(decisions(cli())).toEqual([]);

    // Whoever comes later is asked what is open.
    const bob = await join('bob');
    bob.reply((await bob.asked('permission_request')).id, { decision: 'allow', updated_input: { command: 'ls -l' } });
    await until(() => decisions(cli()).length === 1);
    expect(decisions(cli())).toMatchObject([{ behavior: 'allow', updatedInput: { command: 'ls -l' } }]);
  });

  it('is asked again after a malformed answer, three times at most, and stays open for others', async () => {
    const { join, cli, session } = await engineStage();
    const ada = await join('ada');
    await sendPrompt(session, cli());
    askFor(cli(), 'ls');
    for (const [attempt, answer] of [{ decision: 'maybe' }, null, 'allow'].entries()) {
      ada.reply((await ada.asked('permission_request', attempt + 1)).id, answer);
      await until(() => ada.notices('answer_refused').length === attempt + 1);
    }
    expect(ada.notices('answer_refused')).toMatchObject(Array.from({ length: 3 }, () => ({ code: 'INVALID_ANSWER' })));
    expect(ada.received.filter(({ method }) => method === 'permission_request')).toHaveLength(3);
    expect(session.permissions.pending()).toHaveLength(1);
  });

  it('carries answers to questions, and the values of an elicitation', async () => {
    const { join, cli, session } = await engineStage();
    const ada = await join('ada');
    await sendPrompt(session, cli());
    const questions = [{ question: 'Which one?', options: [{ label: 'left' }, { label: 'right' }] }];
    cli().ask('can_use_tool', { tool_name: 'AskUserQuestion', input: { questions }, tool_use_id: 't1' });
    const which = await ada.asked('permission_request');
    expect(which.params).toMatchObject({ tool: 'AskUserQuestion', requires_user_interaction: true, risk_level: 'low' });
    ada.reply(which.id, { decision: 'allow', answers: { 'Which one?': 'left' } });
    await until(() => decisions(cli()).length === 1);
    expect(decisions(cli())[0]).toMatchObject({ updatedInput: { answers: { 'Which one?': 'left' } } });

    cli().ask('elicitation', { mcp_server_name: 'forms', message: 'Your name?' });
    const name = await ada.asked('permission_request', 2);
    expect(name.params).toMatchObject({ kind: 'elicitation', tool: 'forms', command: 'Your name?' });
    ada.reply(name.id, { decision: 'allow', content: { name: 'Ada' } });
    await until(() => decisions(cli()).length === 2);
    expect(decisions(cli())[1]).toEqual({ action: 'accept', content: { name: 'Ada' } });
  });

  it('marks what the CLI marks as dangerous', async () => {
    const { join, cli, session } = await engineStage();
    const ada = await join('ada');
    await sendPrompt(session, cli());
    cli().ask('can_use_tool', {
      tool_name: 'Bash',
      input: { command: 'rm -rf /' },
      decision_reason_type: 'safetyCheck',
    });
    expect((await ada.asked('permission_request')).params).toMatchObject({ risk_level: 'high', command: 'rm -rf /' });
    cli().ask('can_use_tool', { tool_name: 'mcp__x__y', input: { a: 1 } });
    expect((await ada.asked('permission_request', 2)).params).toMatchObject({ command: '{"a":1}' });
  });
});

describe('the role of a front end', () => {
  it.each(['user_message', 'interrupt', 'cancel', 'session_start'])(
    'keeps an observer from %s (P11)',
    async (method) => {
      const { join, session } = await engineStage();
      const watcher = await join('watcher', { role: 'observer' });
      const params = { content: 'x', prompt_id: 'p', session_id: 'review' };
      expect(await watcher.call(method, params)).toMatchObject({
        error: { code: -32_000, data: { code: 'SCOPE_MISSING', details: { scope: 'control' } } },
      });
      expect(session.snapshot().outstanding).toEqual([]);
    },
  );

  it('is not more than its token allows, whatever it says (P11)', async () => {
    const { connect } = await engineStage();
    const reader = connect('reader', ['read'], 'review');
    expect(await reader.call('initialize', { protocol_version: '1.0', role: 'controller' })).toMatchObject({
      result: { role: 'observer', scopes: ['read'] },
    });
    expect(await reader.call('user_message', { content: 'x' })).toMatchObject({
      error: { data: { code: 'SCOPE_MISSING' } },
    });
    expect(await reader.call('session_list')).toHaveProperty('result.sessions.0.session_id', 'review');
  });
});

function askFor(cli: MemoryCli, command: string): void {
  cli.ask('can_use_tool', { tool_name: 'Bash', input: { command }, tool_use_id: 't1' });
}

/** What the CLI was answered to its questions, in order. */
function decisions(cli: MemoryCli): Json[] {
  return cli.heard.flatMap((line) => {
    const { type, response } = line as { type: string; response?: { response?: Json } };
    return type === 'control_response' && subtypeOf(line) === '' ? [response?.response ?? {}] : [];
  });
}
