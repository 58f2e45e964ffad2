import { AssertionError } from 'node:assert';
import { describe, expect, it } from 'vitest';
import { lastUserText, offeredTools, toolResults, toolResultText } from '../../../src/testing/fake-model/asked.ts';
import { expectRequests } from '../../../src/testing/fake-model/expect-requests.ts';
import { type ModelRequest, readRequest } from '../../../src/testing/fake-model/model-request.ts';

const PROMPT = { role: 'user', content: 'list the files' };
const CALL = { role: 'assistant', content: [{ type: 'tool_use', id: 'call-1', name: 'Bash', input: {} }] };
const RESULT = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call-1', content: 'README.md' }] };
const CONVERSATION = requests([[PROMPT], [PROMPT, CALL, RESULT]]);

describe('what a CLI asked of the model', () => {
  it('holds the last text of the user and each tool result once', () => {
    const asked = requests([[PROMPT], [PROMPT, CALL, RESULT], [PROMPT, CALL, RESULT]]);

    expect(lastUserText(asked)).toBe('list the files');
    expect(lastUserText({ requests: asked })).toBe('list the files');
    expect(lastUserText([])).toBeUndefined();
    expect(toolResults(asked).map(toolResultText)).toEqual(['README.md']);
    expect(offeredTools(asked)).toEqual(['Bash', 'Read']);
  });

  it.each([
    ['text', 'text'],
    [
      [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
      'ab',
    ],
    [[{ type: 'image' }], '{"type":"image"}'],
    [undefined, ''],
  ])('has the text of a result, as %j', (content, words) => {
    expect(toolResultText({ toolUseId: 'x', content, isError: false })).toBe(words);
  });
});

describe('expectRequests', () => {
  it.each([
    [['list the files', { toolResultContains: 'README' }]],
    [[{ promptContains: 'list', model: 'm' }, { isToolResult: true }]],
    [[{}, {}]],
  ])('is silent where the requests are %j', (expected) => {
    expect(() => expectRequests(CONVERSATION, expected)).not.toThrow();
  });

  it('throws what every test runner shows, with a line per request', () => {
    const error = thrownBy(() =>
      expectRequests(CONVERSATION, ['list the files', { toolResultContains: 'LICENSE' }, 'bye']),
    );

    expect(error).toBeInstanceOf(AssertionError);
    expect(error.message).toBe(
      [
        'The CLI did not ask the model what was expected.',
        '  1   promptEquals "list the files"',
        '  2 - expected: toolResultContains "LICENSE" (not so: toolResultContains)',
        '  2 + came:     results of tools ["README.md"] to m',
        '  3 - expected: promptEquals "bye"',
        '  3 + came:     nothing',
      ].join('\n'),
    );
    expect(error.expected).not.toEqual(error.actual);
    expect(error).toMatchObject({ actual: ['promptEquals "list the files"', expect.anything(), 'nothing'] });
  });

  it('names only the conditions that do not hold', () => {
    const error = thrownBy(() =>
      expectRequests(CONVERSATION.slice(0, 1), [{ promptContains: 'list', model: 'other' }]),
    );

    expect(error.message).toContain('(not so: model)');
  });

  it('refuses a request that nobody expected', () => {
    expect(thrownBy(() => expectRequests(CONVERSATION, ['list the files'])).message).toContain(
      '  2 + not expected: results of tools ["README.md"] to m',
    );
  });

  it('lets others pass where they are allowed, but no other order', () => {
    const results = { toolResultContains: 'README' };

    expect(() => expectRequests(CONVERSATION, [results], { others: 'allowed' })).not.toThrow();
    expect(
      thrownBy(() => expectRequests(CONVERSATION, [results, 'list the files'], { others: 'allowed' })).message,
    ).toContain('expected: promptEquals "list the files"');
    expect(thrownBy(() => expectRequests(CONVERSATION, ['bye'], { others: 'allowed' })).message).toContain(
      '  1   other: prompt "list the files" to m',
    );
  });
});

function thrownBy(work: () => void): AssertionError {
  try {
    work();
  } catch (error) {
    if (error instanceof AssertionError) return error;
  }
  return expect.fail('It did not throw an AssertionError.');
}

function requests(conversations: readonly (readonly unknown[])[]): ModelRequest[] {
  return conversations.map((messages, index) => {
    const facts = readRequest({ model: 'm', messages, tools: [{ name: 'Bash' }, { name: 'Read' }] });
    if (facts === undefined) throw new Error('not a request');
    return {
      ...facts,
      ordinal: index + 1,
      sessionId: undefined,
      outcome: 'answered',
      finished: Promise.resolve('answered'),
    };
  });
}
