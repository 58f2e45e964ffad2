import { isRecord } from '../../wire/fields.ts';

type Line = Readonly<Record<string, unknown>>;

/**
 * What kind of line it is: type and subtype, and where one subtype has several forms, the word that tells them apart.
 * `subtypeOf` knows the request that an answer answers, by its id.
 */
export function kindOf(line: Line, subtypeOf: (requestId: unknown) => string | undefined): string {
  const { type, subtype, state, request, response, event, message } = line;
  switch (type) {
    case 'control_request':
      return join(type, isRecord(request) ? [request['subtype'], ...formOfRequest(request)] : []);
    case 'control_response':
      return join(
        type,
        isRecord(response) ? [subtypeOf(response['request_id']) ?? 'of-nobody', response['subtype']] : [],
      );
    case 'command_lifecycle':
      return join(type, [state]);
    case 'stream_event':
      return join(type, isRecord(event) ? [event['type'], ...formOfEvent(event)] : []);
    case 'assistant':
    case 'user':
      return join(type, [isRecord(message) ? blocksOf(message['content']) : undefined]);
    case 'result':
      return join(type, [subtype, line['is_error'] === true ? 'error' : undefined]);
    case 'system':
      return join(type, [subtype, subtype === 'status' ? formOfStatus(line) : state]);
    default:
      return join(String(type), [subtype]);
  }
}

function formOfRequest(request: Line): unknown[] {
  const { subtype, message, input } = request;
  if (subtype === 'mcp_message' && isRecord(message)) return [message['method'] ?? 'answer'];
  return subtype === 'hook_callback' && isRecord(input) ? [input['hook_event_name']] : [];
}

function formOfEvent({ delta, content_block: block }: Line): unknown[] {
  return [isRecord(delta) ? delta['type'] : undefined, isRecord(block) ? block['type'] : undefined];
}

function formOfStatus({ status, permissionMode }: Line): unknown {
  return typeof status === 'string' ? status : permissionMode === undefined ? undefined : 'permissionMode';
}

/** The types of the blocks, each once: how many there are is no matter of form. */
function blocksOf(content: unknown): string {
  if (!Array.isArray(content)) return 'plain';
  return [...new Set(content.map((block) => (isRecord(block) ? String(block['type']) : typeof block)))].join('+');
}

function join(type: string, words: readonly unknown[]): string {
  return [type, ...words.filter((word) => typeof word === 'string')].join('/');
}
