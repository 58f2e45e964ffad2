import { step } from '../../src/testing/fake-cli/scenario.ts';

/** A turn that lets slip `all` of what it knows, in every kind of line, and ends badly. */
export function tellingEverything(all: string, toolName: string) {
  const delta = (text: string) =>
    step.emit({
      type: 'stream_event',
      event: { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
      parent_tool_use_id: null,
    });
  const encoded = Buffer.from(all).toString('base64');
  const said = [all, JSON.stringify({ said: JSON.stringify(all) }), encodeURIComponent(all), encoded].join(' ');
  const resetsAt = 2_000_000_000;
  return [
    step.emit({ type: 'rate_limit_event', rate_limit_info: { status: 'allowed_warning', resetsAt, said: all } }),
    // As a model writes: each secret comes in several events.
    ...(all.match(/.{1,7}/gu) ?? []).map(delta),
    step.emit({ type: 'stream_event', event: { type: 'content_block_stop', index: 0 }, parent_tool_use_id: null }),
    step.emit({ type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text: said }] } }),
    step.request({
      name: 'tool',
      subtype: 'can_use_tool',
      tool_name: toolName,
      input: { command: `echo ${all}` },
      tool_use_id: 'toolu_1',
    }),
    step.awaitResponse('tool'),
    step.emit({
      type: 'user',
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: all }] },
    }),
    step.emitRaw(`no JSON, but ${all}\n`),
    step.stderr(`could not use ${all}`),
    step.result({ is_error: true, subtype: 'error_during_execution', errors: [`it failed with ${all}`], result: all }),
    step.exit(1),
  ];
}
