import type { SessionEvent } from '../store/session-event.ts';
import type { Supervisor } from '../supervision/supervisor.ts';
import type { OpenTelemetry } from './open-telemetry.ts';
import { SessionTrace } from './session-trace.ts';

/**
 * Tells OpenTelemetry what a fleet does: a span for each session, in it one for each turn, in that one for each tool, question and
 * hook; a tool of a subagent is inside the call of the subagent. Names and attributes are those of the conventions for generative
 * AI where they have one. Nothing that was said is told: no prompt, no answer, no input and no output of a tool (P11). The span of a
 * session is a child of the span that is active where the session is started; that one also reaches the CLI (`TRACEPARENT`).
 *
 * `api`: the module `@opentelemetry/api`, with a provider registered. Returns the way to stop, which ends what is open. A provider
 * that throws costs its span, and nothing else.
 */
export function traceFleet(supervisor: Pick<Supervisor, 'on'>, api: OpenTelemetry): () => void {
  const tracer = api.trace.getTracer('troupe');
  const traces = new Map<string, SessionTrace>();
  const stop = supervisor.on('event', (event) => {
    if (event.type === 'store.refused') end(event.sessionId, { 'error.type': event.code });
    if (!('sessionId' in event) || !('seq' in event)) return;
    const { sessionId, at } = event;
    const isOver = event.type === 'session.ended' || event.type === 'session.handed-over';
    if (!traces.has(sessionId) && !isBeginning(event)) return;
    const trace = traces.get(sessionId) ?? new SessionTrace(api, tracer, { sessionId, at });
    traces.set(sessionId, trace);
    trace.take(event);
    if (!isOver) return;
    traces.delete(sessionId);
    if (event.type === 'session.handed-over') trace.close();
  });
  /** Its end will be told to nobody. */
  function end(sessionId: string, attributes: { readonly 'error.type': string }): void {
    traces.get(sessionId)?.close(attributes);
    traces.delete(sessionId);
  }
  return () => {
    stop();
    for (const trace of traces.values()) trace.close();
    traces.clear();
  };
}

/** What is told of a session after its end begins no new trace, unless it lives again. */
function isBeginning(event: SessionEvent): boolean {
  if (event.type === 'session.state-changed') return event.state === 'waiting' || event.state === 'spawning';
  return event.type === 'turn.started';
}
