import { SpokenText } from '../../session/spoken-text.ts';
import type { ObservedEvent, SessionEvent } from '../../store/session-event.ts';
import type { CliMessage } from '../../wire/cli-message.ts';
import { isRecord, stringOf } from '../../wire/fields.ts';
import { toolResultsOf, toolUsesOf } from '../../wire/message-text.ts';
import { subagentOf } from '../../wire/subagent.ts';
import type { Capabilities } from './handshake.ts';

export interface Notice {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** What one front end is told of the events of one session, in their order. */
export class SessionNotices {
  readonly #sessionId: string;
  readonly #wants: Capabilities;
  readonly #isReplay: boolean;
  readonly #spoken = new SpokenText();
  #stopReason: string | undefined;

  /** `isReplay`: it asked for what happened before, and is told when it has it. */
  constructor(sessionId: string, wants: Capabilities, isReplay: boolean) {
    this.#sessionId = sessionId;
    this.#wants = wants;
    this.#isReplay = isReplay;
  }

  /** The notices of one event; what is about permission requests is told by who asks them. */
  of(event: ObservedEvent): Notice[] {
    if (event.type === 'message') return this.#ofMessage(event.message, event);
    if (event.type === 'subscriber.lagged' || event.type === 'log.truncated') return [this.#missed(event)];
    if (event.type !== 'replay.completed') return this.#wants.progress ? this.#ofFact(event) : [];
    return this.#isReplay ? [this.#notice('replay_completed', { seq: event.seq })] : [];
  }

  #ofMessage(message: CliMessage, event: SessionEvent): Notice[] {
    const place = { seq: event.seq, epoch: event.epoch };
    const notices: Notice[] = [];
    const { streaming, progress } = this.#wants;
    const token = this.#spoken.take(message);
    const answer = { message_id: this.#spoken.messageId };
    if (streaming && token !== '') notices.push(this.#notice('assistant_token', { token, ...answer, ...place }));
    if (!progress) return notices;
    if (message.type === 'assistant' || message.type === 'user') {
      const parent = subagentOf(message)?.toolUseId;
      const more = parent === undefined ? place : { parent_tool_use_id: parent, ...place };
      for (const { id, name, input } of toolUsesOf(message)) {
        notices.push(this.#notice('tool_use_start', { name, input, tool_use_id: id, ...answer, ...more }));
      }
      for (const { toolUseId, text, content, isError } of toolResultsOf(message)) {
        const outcome = { tool_use_id: toolUseId, text, content, is_error: isError };
        notices.push(this.#notice('tool_result', { ...outcome, ...more }));
      }
    }
    if (message.type === 'stream_event' || message.type === 'assistant' || message.type === 'result')
      this.#stopReason = stopReasonOf(message) ?? this.#stopReason;
    return notices;
  }

  #ofFact(event: Exclude<SessionEvent, { readonly type: 'message' }>): Notice[] {
    const place = { seq: event.seq, epoch: event.epoch };
    switch (event.type) {
      case 'session.state-changed':
        return [this.#notice('session_state', { state: event.state, from: event.from, ...place })];
      case 'prompt.accepted':
        return [this.#notice('prompt_state', { prompt_id: event.promptId, state: 'accepted', ...place })];
      case 'prompt.started':
        return [this.#notice('prompt_state', { prompt_id: event.promptId, state: 'started', ...place })];
      case 'prompt.ended': {
        const { promptId, outcome } = event;
        return [this.#notice('prompt_state', { prompt_id: promptId, state: 'ended', outcome, ...place })];
      }
      case 'turn.ended': {
        const stopReason = this.#stopReason ?? (event.isError ? 'error' : 'end_turn');
        this.#stopReason = undefined;
        const { promptIds, isError } = event;
        const params = { stop_reason: stopReason, prompt_ids: promptIds, is_error: isError, ...place };
        return [this.#notice('turn_complete', params)];
      }
      case 'session.ended':
        return [this.#notice('session_ended', { code: event.cause.code, message: event.cause.message, ...place })];
      default:
        return [];
    }
  }

  #missed(event: Extract<ObservedEvent, { readonly type: 'subscriber.lagged' | 'log.truncated' }>): Notice {
    const to = event.type === 'subscriber.lagged' ? event.to : event.firstSeq - 1;
    const from = event.type === 'subscriber.lagged' ? event.from : event.from + 1;
    return this.#notice('events_missed', { from, to });
  }

  #notice(method: string, params: Readonly<Record<string, unknown>>): Notice {
    return { method, params: { session_id: this.#sessionId, ...params } };
  }
}

/** Why the model stopped, where the message says it. */
function stopReasonOf(message: CliMessage): string | undefined {
  // Most pieces are text, and say nothing of it: they are not parsed for it.
  if (message.type === 'stream_event' && !message.line.includes('message_delta')) return undefined;
  if (subagentOf(message) !== undefined) return undefined;
  const { value } = message;
  if (message.type === 'result') return stringOf(value?.['stop_reason']);
  const holder = message.type === 'assistant' ? value?.['message'] : undefined;
  if (isRecord(holder)) return stringOf(holder['stop_reason']);
  const event = value?.['event'];
  const delta = isRecord(event) ? event['delta'] : undefined;
  return isRecord(delta) ? stringOf(delta['stop_reason']) : undefined;
}
