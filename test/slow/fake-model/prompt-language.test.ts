import { describe, expect, it } from 'vitest';
import { readRequest } from '../../../src/testing/fake-model/model-request.ts';
import { answerPrompt } from '../../../src/testing/fake-model/prompt-language.ts';
import {
  empty,
  error,
  hang,
  maxTokens,
  refusal,
  streamText,
  text,
  thinking,
  together,
  toolUse,
} from '../../../src/testing/fake-model/script.ts';

describe('the prompt language', () => {
  it.each([
    ['hello', text('Echo: hello')],
    ['', text('Echo: ')],
    ['CALL Bash {"command":"ls"}', toolUse('Bash', { command: 'ls' }, { text: 'Calling Bash' })],
    ['CALL mcp__s__ping', toolUse('mcp__s__ping', {}, { text: 'Calling mcp__s__ping' })],
    ['CALL Bash {"command":"a\\nb"}\nand more', toolUse('Bash', { command: 'a\nb' }, { text: 'Calling Bash' })],
    ['CALL Bash {\n  "command": "ls"\n}', toolUse('Bash', { command: 'ls' }, { text: 'Calling Bash' })],
    ['CALLS [{"name":"A","input":{"x":1}},{"name":"B"}]', together(toolUse('A', { x: 1 }), toolUse('B', {}))],
    ['SLOW 3', streamText({ words: 3, delayMs: 7 })],
    ['SLOW 3 ;; x', streamText({ words: 3, delayMs: 7 })],
    ['THINK', together(thinking('Let me think about it.'), text('Thought.'))],
    ['THINK of it', together(thinking('of it'), text('Thought.'))],
    ['ERROR 529', error(529)],
    ['HANG', hang()],
    ['EMPTY', empty()],
    ['REFUSE', refusal()],
    ['MAXTOK', maxTokens('This text was cut by the token')],
  ])('reads %j', (prompt, reply) => {
    expect(answerPrompt(prompted(prompt), 7)).toEqual(reply);
  });

  it.each(['SLOW down', 'ERROR in line 3', 'ERROR 200', 'HANG on', 'CALL', 'CALLER', 'slow 3', 'SLOWLY 3'])(
    'echoes %j, which only begins like a directive',
    (prompt) => {
      expect(answerPrompt(prompted(prompt), 7)).toEqual(text(`Echo: ${prompt}`));
    },
  );

  it.each([
    'CALL Bash {"command":',
    'CALL Bash []',
    'CALLS {}',
    'CALLS []',
    'CALLS [1]',
    'CALLS [{"name":"A","input":1}]',
    `CALLS ${JSON.stringify(Array.from({ length: 101 }, () => ({ name: 'A' })))}`,
  ])('says what it cannot read in %j instead of failing', (prompt) => {
    expect(JSON.stringify(answerPrompt(prompted(prompt), 7))).toContain('Cannot read');
  });

  it('bounds the words and the echo (P9)', () => {
    expect(answerPrompt(prompted('SLOW 99999999999999999999'), 7)).toEqual(streamText({ words: 100_000, delayMs: 7 }));
    expect(JSON.stringify(answerPrompt(prompted('x'.repeat(300_000)), 7)).length).toBeLessThan(101_000);
  });

  it('repeats what tools said, as JSON', () => {
    const facts = prompted([
      { type: 'tool_result', tool_use_id: 'a', content: 'one' },
      { type: 'tool_result', tool_use_id: 'b', content: [{ type: 'text', text: 'two' }], is_error: true },
    ]);

    expect(answerPrompt(facts, 7)).toEqual(text('Tool said: ["one",[{"type":"text","text":"two"}]]'));
  });
});

function prompted(content: unknown) {
  const facts = readRequest({ messages: [{ role: 'user', content }] });
  if (facts === undefined) throw new Error('not a request');
  return facts;
}
