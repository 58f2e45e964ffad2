import { describe, expect, it } from 'vitest';
import { readRequest } from '../../../src/testing/fake-model/model-request.ts';
import { matches, replyChoice } from '../../../src/testing/fake-model/reply-choice.ts';
import {
  cutAfter,
  delay,
  error,
  errorTimes,
  type RequestPattern,
  streamText,
  text,
  withUsage,
} from '../../../src/testing/fake-model/script.ts';

const PROMPT = [{ role: 'user', content: 'deploy it now' }];
const RESULT = [
  ...PROMPT,
  { role: 'assistant', content: 'calling' },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'exit 7' }] },
];

describe('a rule', () => {
  it.each<[RequestPattern, boolean, boolean]>([
    [{}, true, true],
    [{ promptEquals: ' deploy it now\n' }, true, false],
    [{ promptEquals: 'deploy' }, false, false],
    [{ promptContains: 'it' }, true, false],
    [{ promptContains: 'it', isToolResult: true }, false, true],
    [{ promptContains: 'other', isToolResult: true }, false, false],
    [{ promptMatches: /^deploy/ }, true, false],
    [{ promptMatches: /^it/ }, false, false],
    [{ isToolResult: true }, false, true],
    [{ isToolResult: false }, true, false],
    [{ toolResultContains: 'exit 7' }, false, true],
    [{ toolResultContains: 'exit 0' }, false, false],
    [{ promptContains: 'deploy', toolResultContains: 'exit 7' }, false, true],
    [{ nth: 2 }, true, true],
    [{ nth: 1 }, false, false],
    [{ systemContains: 'pirate' }, true, true],
    [{ systemContains: 'ninja' }, false, false],
    [{ model: 'm' }, true, true],
    [{ model: 'other' }, false, false],
  ])('%j holds for a prompt: %s, for a tool result: %s', (pattern, forPrompt, forResult) => {
    expect(matches(pattern, request(PROMPT), 2)).toBe(forPrompt);
    expect(matches(pattern, request(RESULT), 2)).toBe(forResult);
  });

  it('judges every request alike, also with a global expression', () => {
    const pattern = { promptMatches: /deploy/g };

    expect([1, 2, 3].map((nth) => matches(pattern, request(PROMPT), nth))).toEqual([true, true, true]);
  });
});

describe('choosing a reply', () => {
  it('takes the first rule that holds, then what is to be said otherwise', () => {
    const choose = replyChoice({
      rules: [
        { when: { promptContains: 'nothing' }, reply: text('never') },
        { when: { promptContains: 'deploy' }, reply: text('first'), times: 2 },
        { when: { nth: 3 }, reply: text('third') },
      ],
      otherwise: text('otherwise'),
    });

    expect([1, 2, 3, 4].map((nth) => choose(request(PROMPT), nth).answer)).toEqual([
      text('first'),
      text('first'),
      text('third'),
      text('otherwise'),
    ]);
  });

  it('speaks the prompt language where a script says nothing', () => {
    expect(replyChoice({})(request(PROMPT), 1)).toEqual({
      delayMs: 0,
      answer: text('Echo: deploy it now'),
    });
  });

  it('adds up delays, takes the earliest cut and counts failures down, however they are nested', () => {
    const choose = replyChoice({ otherwise: delay(5, cutAfter(4, errorTimes(1, 529, delay(6, cutAfter(2))))) });

    expect(choose(request(PROMPT), 1)).toEqual({
      delayMs: 5,
      cut: { afterEvents: 4, by: 'close' },
      answer: error(529),
    });
    expect(choose(request(PROMPT), 2)).toMatchObject({
      delayMs: 11,
      cut: { afterEvents: 2 },
      answer: { kind: 'message' },
    });
  });
});

describe('a script that cannot be kept', () => {
  it.each([
    ['a status that is no error', () => error(200)],
    ['a status between two', () => error(400.5)],
    ['a negative delay', () => delay(-1, text('x'))],
    ['a delay without end', () => delay(Infinity, text('x'))],
    ['a cut before the beginning', () => cutAfter(-1)],
    ['a wait that is none', () => error(429, undefined, undefined, { retryAfterSeconds: -1 })],
    ['tokens that are none', () => withUsage(text('x'), { inputTokens: -1 })],
    ['a count that is none', () => errorTimes(Number.NaN, 500, text('x'))],
    ['more words than the limit', () => streamText({ words: 100_001 })],
    ['words and lines at once', () => streamText({ words: 1, lines: 1 })],
    ['neither words nor lines', () => streamText({})],
  ])('is refused with INVALID_OPTIONS: %s', (_, build) => {
    expect(build).toThrow(expect.objectContaining({ code: 'INVALID_OPTIONS' }));
  });
});

function request(messages: readonly unknown[]) {
  const facts = readRequest({ model: 'm', system: 'You are a pirate.', messages });
  if (facts === undefined) throw new Error('not a request');
  return facts;
}
