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
  'stream-json-sdk-control': {
    create: () => createCodec('stream-json-sdk-control'),
    question:
      '{"type":"sdk_control_request","request":{"subtype":"permission","request_id":"perm_1","tool_name":"Bash","tool_input":{}}}',
    samples: [
      {
        line: '{"type":"control_response","response":{"subtype":"success","request_id":"req_1"}}',
        kinds: ['control-response'],
      },
      { line: '{"type":"system","subtype":"init","session_id":"abc123"}', kinds: ['message'] },
      {
        line: '{"type":"sdk_control_request","request":{"subtype":"permission","request_id":"perm_1","tool_name":"Bash","tool_input":{}}}',
        kinds: ['control-request'],
      },
      {
        line: '{"type":"sdk_control_request","request":{"subtype":"mcp_message","request_id":"mcp_1","server_name":"c","message":{"jsonrpc":"2.0","id":"msg_1","method":"tools/list"}}}',
        kinds: ['control-request'],
      },
      {
        line: '{"type":"assistant","message":{"content":[{"type":"text","text":"Paris is..."}]}}',
        kinds: ['message'],
      },
      { line: '{"type":"result","total_cost_usd":0.001,"session_id":"abc123"}', kinds: ['message'] },
    ],
  },
  'json-rpc': {
    create: () => createCodec('json-rpc'),
    unwritten: ['cancel'],
    question:
      '{"jsonrpc":"2.0","id":42,"method":"permission_request","params":{"tool":"Bash","command":"npm i","risk_level":"medium"}}',
    samples: [
      {
        line: '{"jsonrpc":"2.0","id":42,"method":"permission_request","params":{"tool":"Bash","command":"npm i","risk_level":"medium"}}',
        // The call of the tool, and the question about it.
        kinds: ['message', 'control-request'],
      },
      { line: 'npm warn something', kinds: ['diagnostic'] },
    ],
  },
  print: {
    create: () => createCodec('print'),
    samples: [
      { line: '{"type":"system","subtype":"hook_execution","hook":"x"}', kinds: ['message'] },
      { line: 'Warning: no stdin data received', kinds: ['diagnostic'] },
    ],
  },
} satisfies Readonly<Record<string, CodecSubject>>;
