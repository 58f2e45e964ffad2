import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { compileFakeCli, NoCompiler } from '../../../scripts/bench/compile.mjs';
import type { Decoded } from '../../../src/wire/codec.ts';
import { streamJson } from '../../../src/wire/stream-json/codec.ts';

const PROMPT_ID = '11111111-1111-4111-8111-111111111111';

describe('the CLI of the benchmark', () => {
  it('says what the codec understands: messages of known kinds, questions and answers, each line with an id of its own', async () => {
    const cli = await compiled();
    if (cli === undefined) return;
    try {
      const decoded = await conversation(cli.path, 'BENCH lines=40 mixed=20 ask=20');
      const messages = decoded.flatMap((one) => (one.kind === 'message' ? [one.message] : []));

      expect(decoded.filter(({ kind }) => kind === 'diagnostic')).toEqual([]);
      expect(decoded.filter(({ kind }) => kind === 'control-request')).toHaveLength(2);
      expect(messages.filter(({ view }) => !view.recognized).map(({ text }) => text)).toEqual([]);
      expect(messages.filter(({ text }) => text.includes('"text_delta"'))).toHaveLength(38);
      expect(messages.filter(({ raw }) => raw.length === 2_047)).toHaveLength(2);
      expect(new Set(messages.map(({ value }) => value?.['uuid'])).size).toBe(messages.length);
      expect(messages.at(-2)?.value).toMatchObject({ type: 'result', user_message_uuids: [PROMPT_ID] });
      // A token line is as long as those of the real CLI.
      expect(messages.find(({ text }) => text.includes('"text_delta"'))?.raw.length).toBe(243);
    } finally {
      await cli.dispose();
    }
  });
});

/** Undefined where there is no C compiler; then that is what it says. */
async function compiled() {
  try {
    return await compileFakeCli();
  } catch (error) {
    expect(error).toBeInstanceOf(NoCompiler);
    return undefined;
  }
}

async function conversation(path: string, prompt: string): Promise<Decoded[]> {
  const child = spawn(path, { stdio: ['pipe', 'pipe', 'inherit'] });
  const decoded: Decoded[] = [];
  const lines = [
    { type: 'control_request', request_id: 'req_1', request: { subtype: 'initialize' } },
    { type: 'user', message: { role: 'user', content: prompt }, parent_tool_use_id: null, uuid: PROMPT_ID },
  ];
  child.stdin.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const whole = (rest + text).split('\n');
    rest = whole.pop() ?? '';
    for (const line of whole) streamJson.decode(Buffer.from(line), take);
  });
  const take = (one: Decoded) => {
    decoded.push(one);
    if (one.kind === 'control-request')
      child.stdin.write(streamJson.encodeSuccess(one.requestId, { behavior: 'allow' }));
    if (one.kind === 'message' && one.message.text.includes('"state":"completed"')) child.stdin.end();
  };
  await once(child, 'close');
  expect(rest).toBe('');
  return decoded;
}
