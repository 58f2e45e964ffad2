import type { SessionEvent } from '../store/session-event.ts';
import type { CliMessage } from '../wire/cli-message.ts';
import { factOf, type ResultFacts } from '../wire/facts.ts';
import { toolResultsOf, toolUsesOf } from '../wire/message-text.ts';
import {
  type Attributes,
  CLIENT,
  type Context,
  ERROR,
  INTERNAL,
  type OpenTelemetry,
  type Span,
  type Tracer,
} from './open-telemetry.ts';

/** Calls and questions that are remembered while they are open; the oldest end without a word of theirs (P9). */
const MOST_OPEN = 1_000;
const SYSTEM: Attributes = { 'gen_ai.provider.name': 'anthropic' };

interface OpenSpan {
  readonly span: Span;
  readonly context: Context;
}

/** The spans of one session: itself, its turns, and in them tools, questions and hooks. */
export class SessionTrace {
  readonly #api: OpenTelemetry;
  readonly #tracer: Tracer;
  readonly #session: OpenSpan;
  readonly #open = new Map<string, OpenSpan>();
  #turn: OpenSpan | undefined;
  /** Of the newest event. */
  #at: number;

  constructor(api: OpenTelemetry, tracer: Tracer, { sessionId, at }: { sessionId: string; at: number }) {
    this.#api = api;
    this.#tracer = tracer;
    this.#at = at;
    const attributes = { ...SYSTEM, 'gen_ai.agent.id': sessionId };
    this.#session = this.#start('session', CLIENT, attributes, api.context.active());
  }

  take(event: SessionEvent): void {
    this.#at = event.at;
    switch (event.type) {
      case 'message':
        this.#read(event.message);
        return;
      case 'turn.started':
        this.#endTurn({ 'troupe.turn.outcome': 'unknown' });
        this.#turn = this.#start(
          'invoke_agent',
          INTERNAL,
          { ...SYSTEM, 'gen_ai.operation.name': 'invoke_agent' },
          this.#session.context,
        );
        this.#turn.span.setAttributes({ 'troupe.prompt.id': event.promptId, 'troupe.incarnation': event.epoch });
        return;
      case 'turn.ended':
        if (event.isError) this.#turn?.span.setStatus({ code: ERROR });
        this.#endTurn({
          'troupe.turn.cost_usd': event.costUsd,
          'troupe.turn.outcome': event.isError ? 'failed' : 'ended',
        });
        return;
      case 'permission.requested': {
        const { requestId, kind, toolName, toolUseId } = event;
        const parent = this.#open.get(`tool ${toolUseId}`) ?? this.#turn ?? this.#session;
        const attributes = {
          'troupe.permission.kind': kind,
          'gen_ai.tool.name': toolName,
          'gen_ai.tool.call.id': toolUseId,
        };
        this.#keep(`permission ${requestId}`, this.#start('permission', INTERNAL, attributes, parent.context));
        return;
      }
      case 'permission.settled':
        this.#end(`permission ${event.requestId}`, { 'troupe.permission.outcome': event.outcome });
        return;
      case 'hook.called': {
        const parent = this.#open.get(`tool ${event.toolUseId}`) ?? this.#turn ?? this.#session;
        const attributes = { 'troupe.hook.event': event.event, 'troupe.hook.outcome': event.outcome };
        const { span } = this.#start('hook', INTERNAL, attributes, parent.context, event.at - event.tookMs);
        if (event.outcome === 'failed' || event.outcome === 'timed-out') span.setStatus({ code: ERROR });
        span.end(event.at);
        return;
      }
      case 'session.started':
        this.#session.span.addEvent('session.started', { 'troupe.incarnation': event.incarnation }, event.at);
        return;
      case 'session.restarting':
        this.#endTurn({ 'troupe.turn.outcome': 'cut-off' });
        this.#session.span.addEvent('session.restarting', { 'error.type': event.cause.code }, event.at);
        return;
      case 'session.parked':
      case 'session.quarantined':
      case 'session.hibernated':
      case 'watchdog.warned':
      case 'watchdog.interrupted':
      case 'quota.reached':
      case 'budget.reached':
        this.#session.span.addEvent(event.type, {}, event.at);
        return;
      case 'session.ended': {
        const { code } = event.cause;
        const isAsked = code === 'closed';
        if (!isAsked) this.#session.span.setStatus({ code: ERROR });
        this.close(isAsked ? {} : { 'error.type': code });
        return;
      }
      default:
    }
  }

  /** Ends everything that is open. */
  close(attributes: Attributes = {}): void {
    this.#endTurn({ 'troupe.turn.outcome': 'cut-off' });
    this.#session.span.setAttributes(attributes);
    this.#session.span.end(this.#at);
  }

  #read(message: CliMessage): void {
    const parent = message.type === 'assistant' ? message.value?.['parent_tool_use_id'] : undefined;
    for (const { id, name } of toolUsesOf(message)) {
      const caller = this.#open.get(`tool ${parent}`) ?? this.#turn ?? this.#session;
      const attributes = {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': name,
        'gen_ai.tool.call.id': id,
      };
      if (!this.#open.has(`tool ${id}`))
        this.#keep(`tool ${id}`, this.#start('execute_tool', INTERNAL, attributes, caller.context));
    }
    for (const { toolUseId, isError } of toolResultsOf(message)) {
      if (isError) this.#open.get(`tool ${toolUseId}`)?.span.setStatus({ code: ERROR });
      this.#end(`tool ${toolUseId}`, {});
    }
    if (message.type !== 'result' && message.subtype !== 'init') return;
    const fact = factOf(message);
    if (fact?.type === 'turn.result') this.#turn?.span.setAttributes(usageOf(fact));
    if (fact?.type !== 'turn.opened') return;
    const told = { 'gen_ai.request.model': fact.model, 'gen_ai.conversation.id': fact.conversationId };
    this.#turn?.span.setAttributes(told);
    this.#session.span.setAttributes(told);
  }

  #start(name: string, kind: number, attributes: Attributes, parent: Context, startTime = this.#at): OpenSpan {
    const span = this.#tracer.startSpan(name, { kind, startTime, attributes }, parent);
    return { span, context: this.#api.trace.setSpan(parent, span) };
  }

  #keep(name: string, open: OpenSpan): void {
    this.#open.set(name, open);
    const [oldest] = this.#open.keys();
    if (this.#open.size > MOST_OPEN && oldest !== undefined) this.#end(oldest, { 'troupe.unfinished': true });
  }

  #end(name: string, attributes: Attributes): void {
    const open = this.#open.get(name);
    this.#open.delete(name);
    open?.span.setAttributes(attributes);
    open?.span.end(this.#at);
  }

  #endTurn(attributes: Attributes): void {
    for (const name of [...this.#open.keys()]) this.#end(name, { 'troupe.unfinished': true });
    this.#turn?.span.setAttributes(attributes);
    this.#turn?.span.end(this.#at);
    this.#turn = undefined;
  }
}

function usageOf({ usage, subtype, terminalReason }: ResultFacts): Attributes {
  return {
    'gen_ai.usage.input_tokens': usage?.inputTokens,
    'gen_ai.usage.output_tokens': usage?.outputTokens,
    'gen_ai.usage.cache_read.input_tokens': usage?.cacheReadTokens,
    'gen_ai.usage.cache_creation.input_tokens': usage?.cacheCreationTokens,
    'gen_ai.response.finish_reasons': [terminalReason ?? subtype],
  };
}
