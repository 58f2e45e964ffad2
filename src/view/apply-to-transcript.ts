import { isRecord, type JsonRecord, numberOf, recordIn, textOf } from './line-value.ts';
import type { Transcript } from './transcript.ts';
import { added, bounded, everyItem, toolChanged } from './transcript-items.ts';
import { cutOff, heard, resulted, said } from './transcript-message.ts';
import { noticeOf } from './transcript-notice.ts';
import { type Origin, streamed } from './transcript-stream.ts';
import type { ViewEvent } from './view-event.ts';

/** Kinds of lines that are no part of a conversation. */
const SILENT: ReadonlySet<string> = new Set([
  'tool_progress',
  'command_lifecycle',
  'conversation_reset',
  'rate_limit_event',
  'auth_status',
  'prompt_suggestion',
  'tool_use_summary',
  'transcript_mirror',
  'keep_alive',
]);

/** The same of the CLI's own notices. */
const SILENT_NOTICES: ReadonlySet<string> = new Set([
  'init',
  'status',
  'session_state_changed',
  'session_title_changed',
  'task_started',
  'task_progress',
  'task_updated',
  'background_tasks_changed',
  'thinking_tokens',
  'hook_started',
  'hook_progress',
  'hook_response',
  'control_request_progress',
  'commands_changed',
  'files_persisted',
  'memory_recall',
  'elicitation_complete',
  'plugin_install',
]);
const TOLD_NOTICES: ReadonlySet<string> = new Set([
  'informational',
  'notification',
  'task_notification',
  'local_command_output',
  'permission_denied',
  'model_refusal_fallback',
  'model_refusal_no_fallback',
  'worker_shutting_down',
  'mirror_error',
  'session_writes_lost',
]);
const PROBLEMS: ReadonlySet<string> = new Set(['mirror_error', 'session_writes_lost', 'model_refusal_no_fallback']);

/** After which of these nothing that was open goes on: its process is gone, or about to be. */
const WITHOUT_PROCESS: ReadonlySet<string> = new Set([
  'closed',
  'failed',
  'backing-off',
  'hibernated',
  'stopped',
  'waiting',
]);

/**
 * The transcript after the event. Pure, bounded; an event it holds already, by its `seq`, changes nothing. Where the events
 * begin somewhere in the middle, so does the transcript.
 */
export function applyToTranscript(transcript: Transcript, event: ViewEvent): Transcript {
  if (event.seq <= transcript.seq) return transcript;
  const moved = { ...transcript, seq: event.seq };
  if (event.type === 'message') return lineApplied(moved, event);
  switch (event.type) {
    case 'permission.requested':
      return event.toolUseId === undefined
        ? moved
        : toolChanged(moved, event.toolUseId, (tool) => {
            return { ...tool, status: 'asking', permission: { id: event.requestId } };
          });
    case 'permission.settled':
      return answered(moved, event);
    case 'session.started':
    case 'session.recovered':
      return noted(everyItem({ ...moved, streams: {} }, cutOff), event);
    case 'session.state-changed':
      return WITHOUT_PROCESS.has(event.state) ? everyItem({ ...moved, streams: {} }, cutOff) : moved;
    default:
      return noted(moved, event);
  }
}

function lineApplied(transcript: Transcript, event: Extract<ViewEvent, { type: 'message' }>): Transcript {
  const { kind, subtype, seq, at } = event;
  if (SILENT.has(kind) || (kind === 'system' && SILENT_NOTICES.has(subtype ?? ''))) return transcript;
  const line = recordIn(event.line);
  if (line === undefined) return unknown(transcript, event);
  const parent = textOf(line['parent_tool_use_id']);
  const origin: Origin = { seq, at, ...(parent === undefined ? {} : { parent }) };
  switch (kind) {
    case 'stream_event':
      return streamed(transcript, line, origin);
    case 'assistant':
      return said(transcript, line, origin);
    case 'user':
      return heard(transcript, line, origin);
    case 'result':
      return resulted(
        everyItem(transcript, (item) => (item.parent === undefined ? cutOff(item) : item)),
        line,
        origin,
      );
    case 'system':
      return systemSaid(transcript, event, line, origin);
    default:
      return unknown(transcript, event);
  }
}

function systemSaid(
  transcript: Transcript,
  event: Extract<ViewEvent, { type: 'message' }>,
  line: JsonRecord,
  origin: Origin,
): Transcript {
  const { subtype = '', seq } = event;
  const id = `event:${seq}`;
  if (subtype === 'compact_boundary') {
    const facts = isRecord(line['compact_metadata']) ? line['compact_metadata'] : {};
    const [trigger, tokensBefore] = [textOf(facts['trigger']), numberOf(facts['pre_tokens'])];
    const told = {
      ...(trigger === undefined ? {} : { trigger }),
      ...(tokensBefore === undefined ? {} : { tokensBefore }),
    };
    return added(transcript, { kind: 'compact', id, ...origin, ...told });
  }
  if (subtype === 'api_retry') {
    const [attempt, status] = [numberOf(line['attempt']), numberOf(line['error_status'])];
    const text = `The API did not answer${status === undefined ? '' : ` (${status})`}; attempt ${attempt ?? 1} failed.`;
    return added(transcript, { kind: 'notice', id, ...origin, about: 'system/api_retry', text, isProblem: true });
  }
  if (!TOLD_NOTICES.has(subtype)) return unknown(transcript, event);
  const said = ['content', 'message', 'text', 'summary', 'error'].map((name) => textOf(line[name]));
  const text = bounded(said.find((one) => one !== undefined) ?? subtype);
  const isProblem = PROBLEMS.has(subtype);
  return added(transcript, { kind: 'notice', id, ...origin, about: `system/${subtype}`, text, isProblem });
}

function answered(transcript: Transcript, event: Extract<ViewEvent, { type: 'permission.settled' }>): Transcript {
  const { requestId, outcome, by } = event;
  const asked = transcript.items.findLast((item) => item.kind === 'tool' && item.permission?.id === requestId);
  if (asked?.kind !== 'tool') return transcript;
  return toolChanged(transcript, asked.toolUseId, (tool) => {
    const isStill = tool.status === 'asking';
    const status = !isStill ? tool.status : outcome === 'allowed' ? 'running' : 'denied';
    return { ...tool, status, permission: { id: requestId, outcome, by } };
  });
}

/** What happened beside the conversation, where somebody who reads it should know. */
function noted(transcript: Transcript, event: Exclude<ViewEvent, { type: 'message' }>): Transcript {
  const notice = noticeOf(event);
  const { seq, at, type } = event;
  return notice === undefined
    ? transcript
    : added(transcript, { kind: 'notice', id: `event:${seq}`, seq, at, about: type, ...notice });
}

function unknown(transcript: Transcript, event: Extract<ViewEvent, { type: 'message' }>): Transcript {
  const { seq, at, kind: messageType, subtype, line } = event;
  const named = subtype === undefined ? {} : { subtype };
  return added(transcript, {
    kind: 'unknown',
    id: `event:${seq}`,
    seq,
    at,
    messageType,
    ...named,
    line: bounded(line),
  });
}
