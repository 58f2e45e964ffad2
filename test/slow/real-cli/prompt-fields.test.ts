import { describe, expect, it } from 'vitest';
import { query } from '../../../src/index.ts';
import { stage } from './stage.ts';

describe('fields of a user message on the real CLI (WIRE §11)', () => {
  it('shouldQuery: false ends its turn without a model and leaves the text in the conversation (P2, P3)', async () => {
    const { start, model } = await stage();
    const session = await start();
    const quiet = await session.prompt('remember the blue door', { fields: { shouldQuery: false } }).result;
    expect(quiet).toMatchObject({ outcome: 'completed', text: '' });
    expect(model.requests).toHaveLength(0);
    expect(await session.prompt('hello').result).toMatchObject({ outcome: 'completed', text: 'Echo: hello' });
    expect(model.requests).toHaveLength(1);
    expect(JSON.stringify(model.requests[0]?.body)).toContain('remember the blue door');
  });

  it('priority: now ends the running turn, whose prompt is interrupted, and runs next (P3)', async () => {
    const { start } = await stage({ script: { slowDelayMs: 200 } });
    const session = await start();
    const long = session.prompt('SLOW 300');
    for await (const message of long) if (message.type === 'system') break;
    const urgent = session.prompt('hello', { onBusy: 'steer', fields: { priority: 'now' } });
    expect(await long.result).toMatchObject({ outcome: 'interrupted' });
    expect(await urgent.result).toMatchObject({ outcome: 'completed', text: 'Echo: hello' });
  });

  it('client_composed is no command and reads no file, on every release (P11)', async () => {
    const { start, model } = await stage();
    const session = await start();
    const turn = session.prompt('/cost', { fields: { client_composed: true } });
    expect(await turn.result).toMatchObject({ outcome: 'completed' });
    expect(model.requests).toHaveLength(1);
  });

  it('a query yields one result for each message, also for one that asks no model (P3)', async () => {
    const { setting, cli } = await stage();
    async function* prompts() {
      yield { type: 'user', message: { role: 'user', content: 'a fact' }, shouldQuery: false } as const;
      yield { type: 'user', message: { role: 'user', content: 'note' }, isSynthetic: true } as const;
    }
    const results: unknown[] = [];
    for await (const message of query({ prompt: prompts(), options: setting })) {
      if (message.type === 'result') results.push(message['result']);
    }
    // Releases that know the field tell the model that nobody wrote it.
    const mark = cli.since('2.1.220') ? '[MESSAGE FROM NON-USER SOURCE - NOT USER INPUT]\n' : '';
    expect(results).toEqual(['', `Echo: ${mark}note`]);
  });
});
