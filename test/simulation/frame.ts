/** One line of the wire, as data. */
export type Frame = Readonly<Record<string, unknown>>;

export function textOf(frame: Frame): string {
  const { content } = recordIn(frame, 'message');
  if (typeof content === 'string') return content;
  const [first] = Array.isArray(content) ? content : [];
  return String(first?.text ?? '');
}

export function subtypeOf(frame: Frame): string {
  return String(recordIn(frame, 'request')['subtype']);
}

export function recordIn(frame: Frame, field: string): Frame {
  const value = frame[field];
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** How a turn ended that answered these prompts; that of nobody began by itself. */
export function resultFrame(
  how: 'completed' | 'failed' | 'aborted',
  prompts: readonly { readonly wire: string; readonly text: string }[],
): Frame {
  const ends = {
    completed: { subtype: 'success', is_error: false, terminal_reason: 'completed' },
    failed: { subtype: 'success', is_error: true, terminal_reason: 'api_error' },
    aborted: { subtype: 'error_during_execution', is_error: true, terminal_reason: 'aborted_streaming' },
  };
  return {
    type: 'result',
    num_turns: 1,
    total_cost_usd: 0.01,
    result: `answer to ${prompts.map(({ text }) => text).join(' and ')}`,
    user_message_uuids: prompts.map(({ wire }) => wire),
    ...(prompts.length === 0 ? { origin: { kind: 'task-notification' } } : {}),
    ...ends[how],
  };
}
