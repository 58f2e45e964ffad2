import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type HookCallback, type SessionOptions, subagentOf, textOf } from '../../../src/index.ts';
import { text, toolUse } from '../../../src/testing/fake-model/script.ts';
import { stage } from './stage.ts';

const AGENT = `CALL Task ${JSON.stringify({
  description: 'look',
  prompt: 'words of the agent',
  subagent_type: 'general-purpose',
  run_in_background: false,
})}`;

const SCHEMA = {
  type: 'object',
  properties: {
    file: {
      type: 'object',
      properties: { name: { type: 'string' }, kind: { enum: ['source', 'test'] } },
      required: ['name', 'kind'],
    },
    lines: { type: 'array', items: { type: 'integer' } },
  },
  required: ['file', 'lines'],
};

describe('what the Python SDK tries with the real CLI (PEER e2e)', () => {
  it('the text of a subagent comes only where it is asked for, with the call that started it', async () => {
    const { start } = await stage();
    const said = async (forwardSubagentText: boolean) => {
      const session = await start({ forwardSubagentText, allowedTools: ['Task'] });
      const texts: string[] = [];
      for await (const message of session.prompt(AGENT)) {
        if (message.type === 'assistant' && subagentOf(message) !== undefined) texts.push(textOf(message));
      }
      return texts.filter((one) => one !== '');
    };

    expect(await said(false)).toEqual([]);
    expect(await said(true)).toEqual(['Echo: words of the agent']);
  });

  it('the CLI says nothing on stderr in an ordinary turn', async () => {
    const { start } = await stage();
    const lines: string[] = [];
    const session = await start({ stderr: (line) => lines.push(line), allowedTools: ['Bash'] });
    await session.prompt('CALL Bash {"command":"echo hi"}').result;
    await session.close();

    expect(lines).toEqual([]);
  });

  it('an answer in a form may be nested, and come after a tool', async () => {
    const answer = { file: { name: 'a.ts', kind: 'source' }, lines: [1, 2] };
    const { start } = await stage({
      script: {
        rules: [
          { when: { promptContains: 'answer', isToolResult: false }, reply: toolUse('Bash', { command: 'echo hi' }) },
          { when: { isToolResult: true }, reply: toolUse('StructuredOutput', answer) },
        ],
        otherwise: text('done'),
      },
    });
    const session = await start({ allowedTools: ['Bash'], outputFormat: { type: 'json_schema', schema: SCHEMA } });

    expect(await session.prompt('the answer, please').result).toMatchObject({
      outcome: 'completed',
      structuredOutput: answer,
    });
  });

  it('settings of the user and of the project count only where their source is asked for', async () => {
    const { start, configDir, cwd, model } = await stage();
    await mkdir(join(cwd, '.claude'));
    await writeFile(join(configDir, 'settings.json'), JSON.stringify({ env: { FROM_USER: 'yes' } }));
    await writeFile(join(cwd, '.claude', 'settings.json'), JSON.stringify({ env: { FROM_PROJECT: 'yes' } }));
    const seen = async (options: SessionOptions) => {
      const session = await start({ ...options, allowedTools: ['Bash'] });
      await session.prompt(`CALL Bash ${JSON.stringify({ command: 'env | grep FROM_ | sort' })}`).result;
      await session.close();
      return JSON.stringify(model.requests.at(-1)?.toolResults).match(/FROM_[A-Z]+/g) ?? [];
    };

    expect(await seen({})).toEqual([]);
    expect(await seen({ settingSources: [] })).toEqual([]);
    expect(await seen({ settingSources: ['user'] })).toEqual(['FROM_USER']);
    expect(await seen({ settingSources: ['user', 'project'] })).toEqual(['FROM_PROJECT', 'FROM_USER']);
  });

  it('an agent of any size reaches the model', async () => {
    const { start, model } = await stage();
    const prompt = `You are thorough. ${'word '.repeat(60_000)} The end of it.`;
    const session = await start({ agents: { thorough: { description: 'Looks.', prompt } } });
    const call = {
      description: 'look',
      prompt: 'words of the agent',
      subagent_type: 'thorough',
      run_in_background: false,
    };
    await session.prompt(`CALL Task ${JSON.stringify(call)}`).result;

    const systems = model.requests.map(({ system }) => system ?? '');
    expect(systems.some((system) => system.includes('You are thorough.') && system.includes('The end of it.'))).toBe(
      true,
    );
  });

  it('a hook may add context to a prompt and to the result of a tool, which the model hears', async () => {
    const { start, model } = await stage();
    const adding =
      (hookEventName: 'UserPromptSubmit' | 'PostToolUse', additionalContext: string): HookCallback =>
      () => ({ hookSpecificOutput: { hookEventName, additionalContext } });
    const hooks = {
      UserPromptSubmit: [{ hooks: [adding('UserPromptSubmit', 'It is raining.')] }],
      PostToolUse: [{ hooks: [adding('PostToolUse', 'It has stopped.')] }],
    };
    const session = await start({ hooks, allowedTools: ['Bash'] });
    await session.prompt('CALL Bash {"command":"echo hi"}').result;

    const [first, last] = [model.requests[0], model.requests.at(-1)].map((request) => JSON.stringify(request?.body));
    expect([first?.includes('It is raining.'), first?.includes('It has stopped.')]).toEqual([true, false]);
    expect(last).toContain('It has stopped.');
  });
});
