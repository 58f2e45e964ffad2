import type { CodecSubject } from '../../src/testing/codec-conformance.ts';
import { createCodec } from '../../src/wire/create-codec.ts';

/** Lines of each dialect as a peer of it writes them, and what they hold. */
export const SAMPLES = {
  'stream-json': {
    create: () => createCodec('stream-json'),
    samples: [
      {
        line: '{"type":"control_response","response":{"subtype":"success","request_id":"host-1"}}',
        kinds: ['control-response'],
      },
      { line: '{"type":"system","subtype":"init","session_id":"s","tools":[]}', kinds: ['message'] },
      { line: '{"type":"stream_event","event":{"type":"message_stop"},"session_id":"s"}', kinds: ['message'] },
      {
        line: '{"type":"control_request","request_id":"cli-1","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{}}}',
        kinds: ['control-request'],
      },
      { line: '{"type":"control_cancel_request","request_id":"cli-1"}', kinds: ['control-cancel'] },
      {
        line: '{"type":"assistant","message":{"content":[{"type":"text","text":"日本 🦊"}]},"session_id":"s"}',
        kinds: ['message'],
      },
      { line: '[banner] {"type":"keep_alive"}', kinds: ['diagnostic', 'keep-alive'] },
      { line: '{"is_error":false,"subtype":"success","type":"result","result":"done"}', kinds: ['message'] },
    ],
  },
} satisfies Readonly<Record<string, CodecSubject>>;
