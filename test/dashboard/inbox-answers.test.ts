import { describe, expect, it } from 'vitest';
import { editedInput, offeredRules } from '../../src/dashboard/inbox/edited-input.ts';
import { elicitedContent, elicitedFields } from '../../src/dashboard/inbox/elicited-fields.ts';
import { endOf } from '../../src/dashboard/inbox/inbox-model.ts';
import { answeredInput, askedQuestions } from '../../src/view/asked-questions.ts';

describe('an input that is edited in the inbox', () => {
  it('goes out only as an object of JSON', () => {
    expect(editedInput('{"command":"ls"}')).toEqual({ input: { command: 'ls' } });
    for (const text of ['', '{', '[]', 'null', '"ls"', '7']) expect(editedInput(text)).toHaveProperty('fault');
  });
});

describe('what would be remembered', () => {
  it('is shown as rules, and what is no rule of the CLI is left out', () => {
    const rules = [{ toolName: 'Bash', ruleContent: 'npm test:*' }, { toolName: 'Read' }, 7];
    expect(
      offeredRules([
        { type: 'addRules', behavior: 'allow', rules },
        { type: 'addRules', behavior: 'deny', rules },
        { type: 'setMode', mode: 'plan' },
        null,
      ]),
    ).toEqual(['Bash(npm test:*)', 'Read']);
  });
});

describe('the questions of AskUserQuestion', () => {
  const input = {
    questions: [
      { question: 'Which?', header: 'Way', options: [{ label: 'left' }, { label: 'right', description: 'longer' }] },
      { question: 'What else?', multiSelect: true, options: [{ label: 'tea' }, { label: 'cake' }] },
      'no question',
    ],
  };
  const questions = askedQuestions('AskUserQuestion', input);

  it('are read from its input alone', () => {
    expect(questions.map(({ question, takesSeveral }) => [question, takesSeveral])).toEqual([
      ['Which?', false],
      ['What else?', true],
    ]);
    expect(askedQuestions('Bash', input)).toEqual([]);
    expect(askedQuestions('AskUserQuestion', { questions: 'x' })).toEqual([]);
  });

  it('are answered when each has an answer: a label, several in their order, or words of one’s own', () => {
    const one = { 'Which?': { labels: ['left'], other: '' } };
    expect(answeredInput(input, questions, one)).toBeUndefined();
    const both = { ...one, 'What else?': { labels: ['cake', 'tea'], other: ' milk ' } };
    expect(answeredInput(input, questions, both)).toEqual({
      ...input,
      answers: { 'Which?': 'left', 'What else?': 'tea, cake, milk' },
    });
    const own = { ...both, 'Which?': { labels: ['left'], other: 'straight on' } };
    expect(answeredInput(input, questions, own)).toHaveProperty(['answers', 'Which?'], 'straight on');
  });
});

describe('an elicitation', () => {
  const fields = elicitedFields({
    requestedSchema: {
      properties: {
        name: { type: 'string', title: 'Your name' },
        age: { type: 'integer' },
        size: { type: 'string', enum: ['s', 'm'] },
        agrees: { type: 'boolean' },
      },
      required: ['name'],
    },
  });

  it('has the fields of its schema', () => {
    expect(fields.map(({ name, label, kind, isRequired }) => [name, label, kind, isRequired])).toEqual([
      ['name', 'Your name', 'text', true],
      ['age', 'age', 'integer', false],
      ['size', 'size', 'choice', false],
      ['agrees', 'agrees', 'boolean', false],
    ]);
    expect(elicitedFields(undefined)).toEqual([]);
  });

  it('is answered with values of their types, or with what is wrong', () => {
    expect(elicitedContent(fields, { name: 'Ada', age: '36', agrees: 'true' })).toEqual({
      content: { name: 'Ada', age: 36, agrees: true },
    });
    expect(elicitedContent(fields, { age: '36' })).toEqual({ fault: 'Your name is required.' });
    expect(elicitedContent(fields, { name: 'Ada', age: '3.5' })).toEqual({ fault: 'age must be a whole number.' });
    expect(elicitedContent(fields, { name: 'Ada', age: 'old' })).toEqual({ fault: 'age must be a number.' });
  });
});

describe('the end of a question', () => {
  it('names who answered, where somebody did', () => {
    expect(endOf({ settlement: { outcome: 'denied', by: 'api', who: 'bob' } })).toEqual({
      outcome: 'denied',
      by: 'bob',
    });
    expect(endOf({ permission: { outcome: 'expired', by: 'deadline' } })).toEqual({
      outcome: 'expired',
      by: 'deadline',
    });
    for (const answer of [undefined, null, {}, { settlement: null }]) expect(endOf(answer)).toBeUndefined();
  });
});
