import { describe, expect, it } from 'vitest';
import { answerQuestions, type QuestionAnswer } from '../../src/permissions/answer-questions.ts';
import { codeOf } from './desk-harness.ts';

const COLOR = {
  question: 'Which color?',
  header: 'Color',
  multiSelect: false,
  options: [{ label: 'Red' }, { label: 'Blue' }],
};
const PARTS = {
  question: 'Which parts?',
  header: 'Parts',
  multiSelect: true,
  options: [{ label: 'A' }, { label: 'B' }],
};
const request = { input: { questions: [COLOR, PARTS], source: 'x' } };

describe('answers to AskUserQuestion (WIRE §18)', () => {
  it.each<[Record<string, QuestionAnswer>, Record<string, string>]>([
    [
      { 'Which color?': 'Red', 'Which parts?': ['A', 'B'] },
      { 'Which color?': 'Red', 'Which parts?': 'A, B' },
    ],
    [
      { 'Which color?': { other: ' a warm one ' }, 'Which parts?': 'B' },
      { 'Which color?': 'a warm one', 'Which parts?': 'B' },
    ],
    [
      { 'Which color?': ['Blue'], 'Which parts?': ['A', { other: 'the lid' }] },
      { 'Which color?': 'Blue', 'Which parts?': 'A, the lid' },
    ],
  ])('%j become the input %j', (answers, texts) => {
    expect(answerQuestions(request, answers)).toEqual({ ...request.input, answers: texts });
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['unknown', { 'Which color?': 'Red', 'Which parts?': 'A', 'Why?': 'x' }, 'Why?'],
    ['left out', { 'Which color?': 'Red' }, 'Which parts?'],
    ['answered with a label it does not offer', { 'Which color?': 'red', 'Which parts?': 'A' }, 'Which color?'],
    [
      'answered with several where one is asked for',
      { 'Which color?': ['Red', 'Blue'], 'Which parts?': 'A' },
      'Which color?',
    ],
    ['answered with none', { 'Which color?': 'Red', 'Which parts?': [] }, 'Which parts?'],
    ['answered with empty words', { 'Which color?': { other: ' ' }, 'Which parts?': 'A' }, 'Which color?'],
    ['answered with something else', { 'Which color?': 1, 'Which parts?': 'A' }, 'Which color?'],
  ])('are refused when a question is %s', (_title, answers, field) => {
    const given = answers as Record<string, QuestionAnswer>;
    expect(codeOf(() => answerQuestions(request, given))).toEqual({ code: 'INVALID_ANSWER', field });
  });

  it('name what is offered', () => {
    expect(() => answerQuestions(request, { 'Which color?': 'Green', 'Which parts?': 'A' })).toThrow(/"Red", "Blue"/);
  });

  it.each([[undefined], [{}], [{ questions: [] }], [{ questions: [{ question: 'x' }] }], [{ command: 'ls' }]])(
    'need a request that asks questions: not %j',
    (input) => {
      expect(codeOf(() => answerQuestions({ input }, {}))).toEqual({ code: 'INVALID_ANSWER', field: 'request' });
    },
  );

  it('leave the request as it was', () => {
    const before = JSON.stringify(request);
    answerQuestions(request, { 'Which color?': 'Red', 'Which parts?': 'A' });
    expect(JSON.stringify(request)).toBe(before);
  });
});
