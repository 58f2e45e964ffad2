import { afterEach, describe, expect, it } from 'vitest';
import { type FakeModel, fakeModel } from '../../../src/testing/fake-model/fake-model.ts';
import {
  cutAfter,
  delay,
  error,
  errorTimes,
  failAfter,
  hang,
  type ModelScript,
  maxTokens,
  refusal,
  resetAfter,
  streamText,
  text,
  thinking,
  together,
  toolUse,
  withUsage,
} from '../../../src/testing/fake-model/script.ts';

describe('the server', () => {
  it('listens on loopback alone and tells a CLI how to reach nothing else', async () => {
    const model = await open();

    expect(model.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(model.environment()).toMatchObject({
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: 'sk-ant-offline-dummy',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    });
  });

  it('answers whatever else it is asked, and keeps no record of it', async () => {
    const model = await open();

    expect((await fetch(model.url, { method: 'HEAD' })).status).toBe(200);
    expect((await fetch(`${model.url}/v1/models`)).status).toBe(200);
    const count = await post(model, '/v1/messages/count_tokens', { messages: [] });
    expect(await count.json()).toEqual({ input_tokens: 10 });
    expect(model.counts).toMatchObject([{ body: { messages: [] } }]);
    expect(model.requests).toEqual([]);
  });

  it('counts as many tokens as the script says, and keeps the last requests to count only (P9)', async () => {
    const model = await open({ countedTokens: 123, keptRequests: 1 });
    const counted = (prompt: string) =>
      post(model, '/v1/messages/count_tokens', { messages: [{ role: 'user', content: prompt }] });

    for (const prompt of ['a', 'b']) expect(await (await counted(prompt)).json()).toEqual({ input_tokens: 123 });

    expect(model.counts.map(({ prompt }) => prompt)).toEqual(['b']);
  });

  it.each(['{', '[]', '{"messages":1}'])('refuses %s as a message request', async (body) => {
    const model = await open();

    const response = await fetch(`${model.url}/v1/messages`, { method: 'POST', body });

    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } });
  });

  it('keeps the last requests only (P9), and says so when an older one is asked for', async () => {
    const model = await open({ keptRequests: 2 });

    for (const prompt of ['a', 'b', 'c']) await (await ask(model, prompt)).text();

    expect(model.requests.map(({ ordinal, prompt, outcome }) => ({ ordinal, prompt, outcome }))).toEqual([
      { ordinal: 2, prompt: 'b', outcome: 'answered' },
      { ordinal: 3, prompt: 'c', outcome: 'answered' },
    ]);
    await expect(model.received(1)).rejects.toMatchObject({ code: 'INVALID_OPTIONS' });
    expect(await model.received(3)).toBe(model.requests[1]);
  });

  it('closes with open connections, twice, and ends all waiting (P5)', async () => {
    const model = await open({ otherwise: hang() });
    const answer = ask(model, 'hello').catch(() => 'gone');
    const waiting = expect(model.received(2)).rejects.toMatchObject({ code: 'ABORTED' });
    const request = await model.received(1);

    await Promise.all([model.close(), model.close()]);

    expect(await answer).toBe('gone');
    expect(await request.finished).toBe('closed');
    await waiting;
    await expect(model.received(2)).rejects.toMatchObject({ code: 'ABORTED' });
  });

  it('notes a request whose client left as aborted, and answers the next one', async () => {
    const model = await open({ rules: [{ when: { nth: 1 }, reply: hang() }] });
    const leaving = new AbortController();
    const answer = ask(model, 'hello', { signal: leaving.signal }).catch(() => 'left');

    const request = await model.received(1);
    leaving.abort();

    expect(await answer).toBe('left');
    expect(await request.finished).toBe('aborted');
    expect(textIn(await events(await ask(model, 'again')))).toBe('Echo: again');
  });

  it('stops streaming when the client leaves in the middle, however slowly the client reads', async () => {
    const model = await open({ otherwise: streamText({ lines: 100_000, delayMs: 0 }) });
    const response = await ask(model, 'hello');

    await response.body?.cancel();

    expect(await model.requests[0]?.finished).toBe('aborted');
  });
});

describe('a streamed answer', () => {
  it('has the events of the Messages API in their order, each named as its type', async () => {
    const model = await open({
      otherwise: together(thinking('hm'), text('done'), toolUse('Read', { file_path: '/x' })),
    });

    const sent = await events(await ask(model, 'go'));

    expect(sent.map((event) => event.type)).toEqual([
      'message_start',
      ...['content_block_start', 'content_block_delta', 'content_block_delta', 'content_block_stop'],
      ...['content_block_start', 'content_block_delta', 'content_block_stop'],
      ...['content_block_start', 'content_block_delta', 'content_block_stop'],
      'message_delta',
      'message_stop',
    ]);
    expect(sent.map((event) => event.index).filter((index) => index !== undefined)).toEqual([
      ...[0, 0, 0, 0],
      ...[1, 1, 1],
      ...[2, 2, 2],
    ]);
    expect(sent.at(-2)).toMatchObject({ delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 20 } });
  });

  it('puts the tool input together again from its pieces, whatever characters it holds', async () => {
    const input = { text: `${'ab "\\\n'.repeat(40)}${'🦆'.repeat(40)}` };
    const model = await open({ otherwise: toolUse('Write', input) });

    const sent = await events(await ask(model, 'go'));

    const pieces = sent.flatMap((event) => event.delta?.partial_json ?? []);
    expect(pieces.length).toBeGreaterThan(1);
    expect(JSON.parse(pieces.join(''))).toEqual(input);
  });

  it('says the same as the answer in one piece', async () => {
    const model = await open({ otherwise: together(streamText({ words: 3, delayMs: 1 }), maxTokens(' cut')) });

    const whole = await (await ask(model, 'go', { stream: false })).json();

    expect(whole).toMatchObject({
      type: 'message',
      role: 'assistant',
      content: [
        { type: 'text', text: 'w0 w1 w2' },
        { type: 'text', text: ' cut' },
      ],
      stop_reason: 'max_tokens',
    });
    expect(textIn(await events(await ask(model, 'go')))).toBe('w0 w1 w2 cut');
  });

  it('gives every message and every tool call an id of its own', async () => {
    const model = await open({
      otherwise: together(toolUse('A', {}), toolUse('B', {}), toolUse('C', {}, { id: 'mine' })),
    });

    const first = await events(await ask(model, 'go'));
    const second = await events(await ask(model, 'go'));

    const ids = [...first, ...second].flatMap((event) => event.content_block?.id ?? event.message?.id ?? []);
    expect(ids.filter((id) => id === 'mine')).toHaveLength(2);
    const made = ids.filter((id) => id !== 'mine');
    expect(made).toHaveLength(6);
    expect(new Set(made).size).toBe(6);
    expect(made.filter((id) => id.startsWith('toolu_'))).toHaveLength(4);
  });

  it('is cut after the number of events asked for', async () => {
    const model = await open({ otherwise: cutAfter(3, text('whole')) });

    const response = await ask(model, 'go');
    const received: string[] = [];
    const reading = (async () => {
      for await (const chunk of response.body ?? []) received.push(Buffer.from(chunk).toString('utf8'));
    })();

    await expect(reading).rejects.toThrow();
    expect(parseEvents(received.join('')).map((event) => event.type)).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
    ]);
    expect(await model.requests[0]?.finished).toBe('cut');
  });

  it('is cut by a reset of the connection, which the client is told as such', async () => {
    const model = await open({ otherwise: resetAfter(3, streamText({ words: 50, delayMs: 1 })) });

    const response = await ask(model, 'go');

    await expect(response.text()).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
    expect(await model.requests[0]?.finished).toBe('cut');
  });

  it('ends with an error event where the API fails in the middle', async () => {
    const model = await open({ otherwise: failAfter(2) });

    const sent = await events(await ask(model, 'go'));

    expect(sent.map((event) => event.type)).toEqual(['message_start', 'content_block_start', 'error']);
    expect(sent.at(-1)).toMatchObject({ error: { type: 'overloaded_error' } });
    expect(await model.requests[0]?.finished).toBe('answered');
  });

  it('says what it used, in the stream and in one piece', async () => {
    const usage = { inputTokens: 7, outputTokens: 8, cacheReadTokens: 9, cacheCreationTokens: 11 };
    const model = await open({ otherwise: withUsage(text('hello'), usage) });
    const spelled = { input_tokens: 7, cache_read_input_tokens: 9, cache_creation_input_tokens: 11 };

    const sent = await events(await ask(model, 'go'));
    const whole = await (await ask(model, 'go', { stream: false })).json();

    expect(sent[0]).toMatchObject({ message: { usage: { ...spelled, output_tokens: 1 } } });
    expect(sent.at(-2)).toMatchObject({ usage: { ...spelled, output_tokens: 8 } });
    expect(whole).toMatchObject({ usage: { ...spelled, output_tokens: 8 } });
  });

  it('waits before the first byte, and between the pieces', async () => {
    const model = await open({ otherwise: delay(60, streamText({ text: 'one two three', delayMs: 30 })) });
    const before = performance.now();

    const response = await ask(model, 'go');
    expect(performance.now() - before).toBeGreaterThan(50);
    expect(textIn(await events(response))).toBe('one two three');
    expect(performance.now() - before).toBeGreaterThan(100);
  });

  it('refuses', async () => {
    const model = await open({ otherwise: refusal() });

    const sent = await events(await ask(model, 'go'));

    expect(sent.map((event) => event.type)).toEqual(['message_start', 'message_delta', 'message_stop']);
    expect(sent[1]).toMatchObject({ delta: { stop_reason: 'refusal' } });
  });
});

describe('an error', () => {
  it('has the status, the type, the message and the headers of the script', async () => {
    const model = await open({
      otherwise: error(429, undefined, 'Slow down.', { headers: { 'retry-after': '3' } }),
    });

    const response = await ask(model, 'go');

    expect(response.status).toBe(429);
    expect(response.headers.get('retry-after')).toBe('3');
    expect(await response.json()).toMatchObject({
      type: 'error',
      error: { type: 'rate_limit_error', message: 'Slow down.' },
    });
  });

  it('asks for a pause by retry-after, as often as the script says', async () => {
    const failure = error(529, undefined, undefined, { retryAfterSeconds: 2, headers: { 'x-more': 'yes' } });
    const model = await open({ otherwise: errorTimes(1, failure, text('well again')) });

    const refused = await ask(model, 'go');

    expect(refused.status).toBe(529);
    expect([refused.headers.get('retry-after'), refused.headers.get('x-more')]).toEqual(['2', 'yes']);
    expect((await ask(model, 'go')).status).toBe(200);
  });

  it('stops after the number of times asked for, on each server anew', async () => {
    const otherwise = errorTimes(2, 500, text('well again'));
    for (const model of [await open({ otherwise }), await open({ otherwise })]) {
      const statuses = [];
      for (let attempt = 0; attempt < 4; attempt += 1) statuses.push((await ask(model, 'go')).status);
      expect(statuses).toEqual([500, 500, 200, 200]);
    }
  });
});

interface SentEvent {
  readonly type: string;
  readonly index?: number;
  readonly message?: { readonly id: string };
  readonly content_block?: { readonly id?: string };
  readonly delta?: { readonly text?: string; readonly partial_json?: string; readonly stop_reason?: string };
}

const models: FakeModel[] = [];

afterEach(async () => {
  for (const model of models.splice(0)) await model.close();
});

async function open(script: ModelScript = {}): Promise<FakeModel> {
  const model = await fakeModel(script);
  models.push(model);
  return model;
}

function ask(
  model: FakeModel,
  prompt: string,
  options: { stream?: boolean; signal?: AbortSignal } = {},
): Promise<Response> {
  const body = { model: 'm', stream: options.stream ?? true, messages: [{ role: 'user', content: prompt }] };
  return post(model, '/v1/messages?beta=true', body, options.signal);
}

function post(model: FakeModel, path: string, body: object, signal: AbortSignal | null = null): Promise<Response> {
  return fetch(`${model.url}${path}`, { method: 'POST', body: JSON.stringify(body), signal });
}

async function events(response: Response): Promise<SentEvent[]> {
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  return parseEvents(await response.text());
}

function parseEvents(body: string): SentEvent[] {
  return body
    .split('\n\n')
    .filter((part) => part !== '')
    .map((part) => {
      const [name = '', data = ''] = part.split('\n');
      const event = JSON.parse(data.replace(/^data: /, '')) as SentEvent;
      expect(name).toBe(`event: ${event.type}`);
      return event;
    });
}

function textIn(sent: readonly SentEvent[]): string {
  return sent.map((event) => event.delta?.text ?? '').join('');
}
