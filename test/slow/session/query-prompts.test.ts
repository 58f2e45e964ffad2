import { describe, expect, it } from 'vitest';
import { query, type UserMessageInput } from '../../../src/index.ts';
import { errorFrom, isAlive, linesTo, newFake, SHORT } from './stage.ts';

describe('a query with a stream of user messages', () => {
  it('sends every field of a message as the official SDK does (P6)', async () => {
    const fake = await newFake();
    const fields = {
      parent_tool_use_id: 'toolu_1',
      session_id: 'other',
      shouldQuery: false,
      priority: 'later',
      isSynthetic: true,
      tool_use_result: { rows: [1] },
      origin: { kind: 'human' },
      timestamp: '2026-01-01T00:00:00Z',
      of_a_newer_release: { kept: true },
    } as const;
    const uuid = '6a0f5a40-6d4d-4f0e-9d0e-0c5f0c3f7b11';
    await collect([{ type: 'user', message: { role: 'user', content: 'a' }, uuid, ...fields }], fake.path);
    const line = (await linesTo(fake)).find(({ type }) => type === 'user');
    expect(line).toEqual({ type: 'user', message: { role: 'user', content: 'a' }, uuid, ...fields });
  });

  it.each([
    ['prompt[0].type', { type: 'control_request', message: { role: 'user', content: 'a' } }],
    ['prompt[0].uuid', { type: 'user', uuid: 5, message: { role: 'user', content: 'a' } }],
    ['prompt[0].message.role', { type: 'user', message: { role: 'assistant', content: 'a' } }],
    ['prompt[0].message.model', { type: 'user', message: { role: 'user', content: 'a', model: 'x' } }],
    ['prompt[0].shouldQuery', { type: 'user', message: { role: 'user', content: 'a' }, shouldQuery: 'no' }],
    ['prompt[0].priority', { type: 'user', message: { role: 'user', content: 'a' }, priority: 'soon' }],
    ['prompt[0]', { type: 'user', message: { role: 'user', content: 'a' }, tool_use_result: 1n }],
  ])('refuses what is malformed by its place: %s (P6)', async (field, message) => {
    const fake = await newFake();
    const error = await errorFrom(collect([message as unknown as UserMessageInput], fake.path));
    expect(error.code).toBe('INVALID_PROMPT');
    expect(error.details).toMatchObject({ field });
    expect((await linesTo(fake)).filter(({ type }) => type === 'user')).toEqual([]);
    expect((await fake.pids()).filter(isAlive)).toEqual([]);
  });

  it('takes a stream that is done before its process is ready, and one that is longer than the queue (P9)', async () => {
    const fake = await newFake();
    const messages = Array.from({ length: 130 }, (_, index) => user(`number ${index}`));
    await collect(messages, fake.path);
    await collect(messages.slice(0, 12), fake.path, { maxPromptQueue: 2 });
    const sent = (await linesTo(fake)).filter(({ type }) => type === 'user');
    expect(sent.length).toBe(142);
  });
});

function user(content: string): UserMessageInput {
  return { type: 'user', message: { role: 'user', content } };
}

async function collect(
  messages: readonly UserMessageInput[],
  pathToClaudeCodeExecutable: string,
  limits: { maxPromptQueue?: number } = {},
): Promise<unknown[]> {
  async function* stream() {
    yield* messages;
  }
  const seen: unknown[] = [];
  const options = { pathToClaudeCodeExecutable, timeouts: SHORT, limits };
  for await (const message of query({ prompt: stream(), options })) seen.push(message);
  return seen;
}
