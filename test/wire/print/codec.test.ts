import { describe, expect, it } from 'vitest';
import type { CliMessage } from '../../../src/wire/cli-message.ts';
import type { Codec } from '../../../src/wire/codec.ts';
import { createCodec } from '../../../src/wire/create-codec.ts';
import { factOf } from '../../../src/wire/facts.ts';

/* The lines are those of seed 004; what it leaves out is filled in. */
const INIT = { type: 'system', subtype: 'init', session_id: '550e8400', model: 'm', tools: [{ name: 'Read' }] };
const SAID = { type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text: 'Four.' }] } };
const RESULT = {
  type: 'result',
  subtype: 'success',
  session_id: '550e8400',
  num_turns: 3,
  total_cost_usd: 0.023,
  input_tokens: 1250,
  output_tokens: 487,
  cache_creation_tokens: 1,
  cache_read_tokens: 2,
};

describe('one process per prompt (DIALECTS §4)', () => {
  it('the prompt that was written last begins with the process and ends with its result', () => {
    const codec = createCodec('print');
    codec.encodePrompt({ uuid: 'p1', content: 'What is 2+2?' });
    codec.encodePrompt({ uuid: 'p2', content: 'And then?' });
    const facts = [INIT, SAID, RESULT, INIT, RESULT].flatMap((line) => said(codec, line)).map(factOf);

    expect(facts.map((fact) => fact?.type)).toEqual([
      ...['turn.opened', 'prompt.echoed', undefined, 'turn.result'],
      ...['turn.opened', 'prompt.echoed', 'turn.result'],
    ]);
    expect(facts.map((fact) => (fact?.type === 'turn.result' ? fact.promptUuids : undefined)).filter(Boolean)).toEqual([
      ['p1'],
      ['p2'],
    ]);
  });

  it('flat counts are the usage, and the answer is what was said last', () => {
    const codec = createCodec('print');
    said(codec, SAID);

    expect(said(codec, RESULT).map(factOf)).toMatchObject([
      {
        isError: false,
        text: 'Four.',
        usage: { inputTokens: 1250, outputTokens: 487, cacheCreationTokens: 1, cacheReadTokens: 2 },
        totalCostUsd: 0.023,
      },
    ]);
  });

  it('counts of the CLI stand where it puts them', () => {
    const line = { ...RESULT, usage: { input_tokens: 7, output_tokens: 8 } };
    expect(said(createCodec('print'), line).map(factOf)).toMatchObject([
      { usage: { inputTokens: 7, outputTokens: 8 } },
    ]);
  });

  it.each([
    ['error', 'error_during_execution', undefined],
    ['max_turns_reached', 'error_max_turns', 'max_turns'],
    ['budget_exceeded', 'error_max_budget_usd', 'budget_exhausted'],
    ['user_cancelled', 'error_during_execution', 'aborted_streaming'],
    ['error_max_turns', 'error_max_turns', undefined],
    ['error_max_budget_usd', 'error_max_budget_usd', undefined],
    ['error_during_execution', 'error_during_execution', undefined],
  ])('an end that is called %s is one', (told, subtype, terminalReason) => {
    const [fact] = said(createCodec('print'), { type: 'result', subtype: told, session_id: 's' }).map(factOf);
    expect(fact).toMatchObject({ subtype, terminalReason, isError: true });
  });

  it.each(['api_error', 'tool_error', 'permission_denied', 'validation_error', 'system_error'])(
    'a failure of the kind %s keeps its kind, its words and the status of the API',
    (type) => {
      const error = { type, message: 'API rate limit exceeded', details: { status: 429 } };
      const [message] = said(createCodec('print'), { type: 'result', subtype: 'error', error });
      expect(message && factOf(message)).toMatchObject({
        isError: true,
        errors: [`${type}: API rate limit exceeded`],
        terminalReason: type,
        apiErrorStatus: 429,
      });
      expect(JSON.parse(message?.raw.toString() ?? '')).toEqual({ type: 'result', subtype: 'error', error });
    },
  );

  it.each([
    { type: 'system', subtype: 'permission_request', tool: 'Write', params: { file_path: '/path/to/file.txt' } },
    { type: 'system', subtype: 'hook_execution', hook: 'PreToolUse' },
    { type: 'system', subtype: 'error', error: { type: 'system_error', message: 'x' } },
  ])('what the process tells and asks nobody is told on, as a message that is known: $subtype', (line) => {
    const told = { ...line, session_id: '550e8400', timestamp: '2026-02-02T10:30:00Z' };
    const [message] = said(createCodec('print'), told);

    expect(message?.value).toEqual(told);
    expect(message?.isKnownKind).toBe(true);
    expect(message?.view).toEqual({ recognized: true, message: told });
  });

  it('what the process is not there to keep it does not promise', () => {
    const capabilities = ['msg_lifecycle_v1', 'interrupt_receipt_v1', 'sdk_mcp_manifests'];
    expect(said(createCodec('print'), { ...INIT, capabilities }).map(factOf)).toMatchObject([
      { capabilities: ['sdk_mcp_manifests'] },
    ]);
  });
});

function said(codec: Codec, line: object): CliMessage[] {
  const messages: CliMessage[] = [];
  codec.decode(Buffer.from(JSON.stringify(line)), (one) => {
    if (one.kind === 'message') messages.push(one.message);
  });
  return messages;
}
