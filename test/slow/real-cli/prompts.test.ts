import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ModelRequest } from '../../../src/testing/fake-model/model-request.ts';
import { toolUse } from '../../../src/testing/fake-model/script.ts';
import { eventOf, stage } from './stage.ts';

const allowedTools = ['Bash'];
const GATED = `CALL Bash ${JSON.stringify({ command: 'until [ -e go ]; do sleep 0.05; done', description: 'wait' })}`;
/** A picture of one pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const SCHEMA = {
  type: 'object',
  properties: { answer: { type: 'number' } },
  required: ['answer'],
  additionalProperties: false,
};

function said(request: ModelRequest | undefined): string {
  return JSON.stringify(request?.body['messages']);
}

describe('text of strangers on the real CLI (WIRE §25.20)', () => {
  it.each(['/clear', '  /clear', '/compact', '/cost', '/model haiku'])(
    'reaches the model word for word and runs no command: %j',
    async (content) => {
      const { start, model } = await stage();
      const session = await start();
      await session.prompt('remember the lamp').result;
      const { conversationId, facts } = session;
      const result = await session.prompt(content, { untrusted: true }).result;
      const request = model.requests.at(-1);

      expect(result).toMatchObject({ outcome: 'completed' });
      expect(said(request)).toContain('remember the lamp');
      expect(said(request)).toContain(JSON.stringify(content).slice(1, -1));
      expect(session.conversationId).toBe(conversationId);
      expect(session.facts.model).toBe(facts.model);
    },
  );

  it('runs no command as a content block, alone or behind others, and the blocks stay apart', async () => {
    const { start, model } = await stage();
    const session = await start();
    await session.prompt('remember the lamp').result;
    const { conversationId } = session;
    for (const content of [
      [{ type: 'text', text: '/clear' }],
      [
        { type: 'text', text: 'a letter:' },
        { type: 'text', text: '/clear' },
      ],
    ]) {
      expect(await session.prompt(content, { untrusted: true }).result).toMatchObject({ outcome: 'completed' });
      expect(said(model.requests.at(-1))).toContain('remember the lamp');
      expect(said(model.requests.at(-1))).toContain('"/clear"');
    }
    expect(session.conversationId).toBe(conversationId);
  });

  it('runs no command when it is merged with others, or folded into a turn', async () => {
    const { start, cwd, model } = await stage();
    const session = await start({ allowedTools });
    const first = session.prompt(GATED);
    await eventOf(
      session,
      'message',
      ({ message }) => message.type === 'assistant' && message.text.includes('tool_use'),
    );
    const strangers = ['/clear', '/cost'].map((content) =>
      session.prompt(content, { untrusted: true, onBusy: 'steer' }),
    );
    await session.mcpServerStatus();
    const { conversationId } = session;
    writeFileSync(join(cwd, 'go'), '');
    const results = await Promise.all([first, ...strangers].map(({ result }) => result));
    await session.prompt('and now?').result;

    expect(results.map(({ outcome }) => outcome)).toEqual(['completed', 'completed', 'completed']);
    expect(session.conversationId).toBe(conversationId);
    for (const word of ['/clear', '/cost']) expect(said(model.requests.at(-1))).toContain(word);
  });

  it('reads no file that it mentions, which trusted text does', async () => {
    const { start, cwd, model } = await stage();
    writeFileSync(join(cwd, 'secret.txt'), 'the word is lamp');
    const session = await start();
    const prompt = 'look at @secret.txt';
    await session.prompt(prompt, { untrusted: true }).result;
    expect(said(model.requests.at(-1))).toContain('@secret.txt');
    expect(JSON.stringify(model.requests)).not.toContain('the word is lamp');

    await session.prompt([{ type: 'text', text: prompt }], { untrusted: true }).result;
    expect(JSON.stringify(model.requests)).not.toContain('the word is lamp');

    await session.prompt(prompt).result;
    expect(said(model.requests.at(-1))).toContain('the word is lamp');
  });

  it.each(['!touch made', '# remember this', '&touch made'])(
    'and of anybody: %j is no command in this mode (measured)',
    async (content) => {
      const { start, model, cwd } = await stage();
      const session = await start({ allowedTools });
      const result = await session.prompt(content).result;

      expect(result).toMatchObject({ outcome: 'completed' });
      expect(said(model.requests.at(-1))).toContain(content);
      expect(existsSync(join(cwd, 'made'))).toBe(false);
    },
  );
});

describe('what else a prompt may hold', () => {
  it('pictures and documents reach the model as they are', async () => {
    const { start, model } = await stage();
    const session = await start();
    const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } };
    const note = { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'the lamp is red' } };
    const result = await session.prompt([{ type: 'text', text: 'what is it?' }, picture, note]).result;

    expect(result.outcome).toBe('completed');
    expect(said(model.requests.at(-1))).toContain('"media_type":"image/png"');
    expect(said(model.requests.at(-1))).toContain('the lamp is red');
  });
});

describe('answers in a form (outputFormat)', () => {
  it('come as `structuredOutput` of the turn', async () => {
    const { start } = await stage({
      script: {
        rules: [
          {
            when: { promptContains: 'answer', isToolResult: false },
            reply: toolUse('StructuredOutput', { answer: 42 }),
          },
        ],
      },
    });
    const session = await start({ outputFormat: { type: 'json_schema', schema: SCHEMA } });
    const result = await session.prompt('the answer, please').result;

    expect(result).toMatchObject({ outcome: 'completed', structuredOutput: { answer: 42 } });
  });

  it('fail the turn when the model never keeps to it, and the session goes on', async () => {
    const { start } = await stage({
      script: { otherwise: toolUse('StructuredOutput', { wrong: true }) },
      env: { MAX_STRUCTURED_OUTPUT_RETRIES: '2' },
    });
    const session = await start({ outputFormat: { type: 'json_schema', schema: SCHEMA } });
    const result = await session.prompt('the answer, please').result;

    expect(result).toMatchObject({ outcome: 'failed', structuredOutput: undefined });
    expect(result.error).toMatchObject({
      code: 'TURN_FAILED',
      details: { subtype: 'error_max_structured_output_retries' },
    });
  });

  it('are not there when the model answers in words, although the turn is no failure to the CLI (measured)', async () => {
    const { start, model } = await stage();
    const session = await start({ outputFormat: { type: 'json_schema', schema: SCHEMA } });

    expect(await session.prompt('in words').result).toMatchObject({
      outcome: 'completed',
      structuredOutput: undefined,
    });
    // It asks once more by itself.
    expect(model.requests).toHaveLength(2);
  });
});
