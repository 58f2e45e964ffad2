import { describe, expect, it } from 'vitest';
import { readRequest } from '../../../src/testing/fake-model/model-request.ts';

const REMINDER = { type: 'text', text: '<system-reminder>\nSLOW 5\n</system-reminder>\n' };
const RESULT = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'done', is_error: true };
const INTERRUPTED = said('[Request interrupted by user for tool use]');

describe('reading a request', () => {
  it.each([
    ['a plain text', [user('hello')]],
    ['a text behind a reminder', [user([REMINDER, said('hello')])]],
    ['a text before a reminder', [user([said('hello'), REMINDER])]],
    ['a text in one block with a reminder', [user([said(`${REMINDER.text}hello`)])]],
    ['a text before system messages', [user([said('hello')]), system('# Environment'), system([said('more')])]],
    ['the last of several prompts', [user('first'), assistant('Echo'), user('hello')]],
    ['the last block of several', [user([said('first'), said('hello')])]],
    ['a prompt behind an interrupt', [user([said('SLOW 9'), INTERRUPTED, said('hello')])]],
    ['a prompt behind an interrupted tool', [user('x'), assistant('y'), user([RESULT, INTERRUPTED, said('hello')])]],
    [
      'a prompt behind tools whose turn ended without an answer',
      [user('x'), assistant('y'), user([RESULT, said('hello')])],
    ],
    [
      'a prompt in a message of its own behind such tools',
      [user('x'), assistant('y'), user([RESULT]), user([REMINDER, said('hello')])],
    ],
    ['a prompt in a message of its own behind an interrupt', [user([RESULT, INTERRUPTED]), system('z'), user('hello')]],
    [
      'a prompt behind the record of a slash command',
      [
        user([
          said('<local-command-caveat>The command below …</local-command-caveat>\n'),
          said('<command-name>/compact</command-name>\n  <command-args></command-args>\n'),
          said('hello'),
          said('<local-command-stdout>Compacted </local-command-stdout>\n'),
        ]),
      ],
    ],
  ])('finds the prompt: %s', (_, messages) => {
    expect(readRequest({ messages })).toMatchObject({ prompt: 'hello', turnPrompt: 'hello', toolResults: [] });
  });

  it('finds the tool results to answer, and the prompt they belong to', () => {
    const messages = [
      user('older'),
      assistant('ok'),
      user([REMINDER, said('hello')]),
      assistant('calling'),
      user([RESULT]),
    ];

    expect(readRequest({ messages: [...messages, system('x')] })).toMatchObject({
      prompt: undefined,
      turnPrompt: 'hello',
      toolResults: [{ toolUseId: 'toolu_1', content: 'done', isError: true }],
    });
  });

  it.each([
    ['a prompt that was folded into a turn (WIRE §11)', 'The user sent a new message while you were working:\nhurry'],
    ['a skill', 'Base directory for this skill: /skills/pirate\n\nSpeak like one.'],
    ['a tool that was loaded', 'Tool loaded.'],
    ['a reminder', REMINDER.text],
  ])('leaves %s to the tool result', (_, beside) => {
    expect(
      readRequest({ messages: [user('hello'), assistant('calling'), user([RESULT, said(beside)])] }),
    ).toMatchObject({
      prompt: undefined,
      turnPrompt: 'hello',
      toolResults: [{ toolUseId: 'toolu_1' }],
    });
  });

  it('takes a text that looks injected for the prompt when there is no other', () => {
    expect(readRequest({ messages: [user([REMINDER])] })?.prompt).toBe(REMINDER.text);
  });

  it('reads the system prompt in every form', () => {
    const messages = [user('hello'), system('three')];

    expect(readRequest({ system: 'one', messages })?.system).toBe('one\nthree');
    expect(readRequest({ system: [said('one'), said('two')], messages })?.system).toBe('one\ntwo\nthree');
  });

  it.each([undefined, null, 1, [], {}, { messages: {} }])('is undefined for %j', (body) => {
    expect(readRequest(body)).toBeUndefined();
  });

  it.each([
    [{ messages: [] }],
    [{ messages: [1, null, { role: 'user' }] }],
    [{ messages: [{ role: 'user', content: [1, { type: 'text' }] }] }],
    [{ messages: [user('hello'), assistant('prefill')] }],
  ])('survives %j', (body) => {
    expect(readRequest(body)?.toolResults).toEqual([]);
  });
});

function said(text: string) {
  return { type: 'text', text };
}

function user(content: unknown) {
  return { role: 'user', content };
}

function assistant(content: unknown) {
  return { role: 'assistant', content };
}

function system(content: unknown) {
  return { role: 'system', content };
}
