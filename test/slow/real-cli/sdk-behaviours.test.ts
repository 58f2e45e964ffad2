import { describe, expect, it } from 'vitest';
import { subagentOf, textOf } from '../../../src/index.ts';
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
});
