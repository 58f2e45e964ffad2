import { describe, expect, it } from 'vitest';
import { query } from '../../../src/index.ts';
import { errorFrom, script } from './stage.ts';

const RESULT =
  '{"type":"result","subtype":"success","is_error":false,"result":"ok","session_id":"s","uuid":"u","num_turns":1,"usage":{}}';
/** Answers the handshake and one prompt. */
const ONE_ANSWER = [
  'while read -r line; do',
  '  case "$line" in',
  '    *\'"type":"control_request"\'*)',
  '      id=$(printf "%s" "$line" | sed \'s/.*"request_id":"\\([^"]*\\)".*/\\1/\')',
  '      printf \'{"type":"control_response","response":{"subtype":"success","request_id":"%s","response":{}}}\\n\' "$id" ;;',
  `    *'"type":"user"'*) echo '${RESULT}'; break ;;`,
  '  esac',
  'done',
];
const UNTIL_GOODBYE = 'while read -r line; do :; done';

describe('a query that is used wrongly', () => {
  it.each([undefined, null])('refuses %s in the place of its input (P6)', async (input) => {
    expect(await errorFrom(query(input as never).next())).toMatchObject({ code: 'INVALID_PROMPT' });
  });

  it.each([[null], [5], ['text'], [[]]])('refuses options that are none: %j (P6)', async (options) => {
    const messages = query({ prompt: 'x', options: options as never });
    expect((await errorFrom(messages.next())).details).toMatchObject({ field: 'options' });
  });

  it('refuses a stream of prompts after its end instead of swallowing it (P6)', async () => {
    const messages = query({ prompt: 'x', options: { pathToClaudeCodeExecutable: await script(...ONE_ANSWER) } });
    for await (const _ of messages);
    let wasRead = false;
    async function* late() {
      wasRead = true;
      yield { type: 'user', message: { role: 'user', content: 'late' } } as const;
    }
    expect((await errorFrom(messages.streamInput(late()))).code).toBe('SESSION_CLOSED');
    expect(wasRead).toBe(false);
  });
});

describe('the end of a query whose last result was good (P3)', () => {
  it.each([
    ['at once', ['exit 3'], { exitCode: 3 }],
    ['when it is asked to leave', [UNTIL_GOODBYE, 'exit 3'], { exitCode: 3 }],
    ['by a signal of somebody else', [UNTIL_GOODBYE, 'kill -9 $$'], { signal: 'SIGKILL' }],
  ])('is CLI_EXITED when the process fails %s, as in the official SDK', async (_, end, details) => {
    const { results, error } = await run([...ONE_ANSWER, ...end]);
    expect(results).toEqual(['ok']);
    expect(error).toMatchObject({ code: 'CLI_EXITED', details });
  });

  it.each([
    ['at once', ['exit 0']],
    ['when it is asked to', [UNTIL_GOODBYE, 'exit 0']],
    ['only when it is forced to', ['trap "" TERM', UNTIL_GOODBYE, 'while :; do sleep 0.1; done']],
  ])('is no error when the process leaves %s', async (_, end) => {
    expect(await run([...ONE_ANSWER, ...end])).toEqual({ results: ['ok'], error: undefined });
  });

  it('is CLI_EXITED when it leaves in peace while prompts may still come (R53)', async () => {
    async function* open() {
      yield { type: 'user', message: { role: 'user', content: 'x' } } as const;
      await new Promise(() => {});
    }
    const { results, error } = await run([...ONE_ANSWER, 'exit 0'], open());
    expect(results).toEqual(['ok']);
    expect(error).toMatchObject({ code: 'CLI_EXITED', details: { exitCode: 0 } });
  });
});

async function run(lines: readonly string[], prompt: Parameters<typeof query>[0]['prompt'] = 'x') {
  const timeouts = { closeGraceMs: 1_500, terminateGraceMs: 300, killGraceMs: 10_000 };
  const options = { pathToClaudeCodeExecutable: await script(...lines), timeouts };
  const results: unknown[] = [];
  try {
    for await (const message of query({ prompt, options })) {
      if (message.type === 'result') results.push(message['result']);
    }
  } catch (error) {
    return { results, error };
  }
  return { results, error: undefined };
}
