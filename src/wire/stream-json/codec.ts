import type { Codec } from '../codec.ts';
import { decodeLine } from './decoding.ts';
import { toLine } from './encoding.ts';

/** The protocol of the real CLI, as measured on versions 1.0.60 to 2.1.332 (WIRE §1, §11). */
export const streamJson: Codec = {
  decode: decodeLine,
  readsRuns: true,

  encodePrompt: ({ uuid, content, priority, isVerbatim, fields }) =>
    toLine(
      // The order, the empty session id and the null parent are what the CLI has been seen to accept everywhere.
      {
        type: 'user',
        message: { role: 'user', content },
        parent_tool_use_id: null,
        session_id: '',
        ...fields,
        uuid,
        ...(priority === undefined ? {} : { priority }),
        ...(isVerbatim === true ? { client_composed: true } : {}),
      },
      'INVALID_PROMPT',
    ),

  encodeRequest: (requestId, request) =>
    toLine({ type: 'control_request', request_id: requestId, request }, 'INVALID_OPTIONS'),

  encodeSuccess: (requestId, response) =>
    toLine(
      { type: 'control_response', response: { subtype: 'success', request_id: requestId, response } },
      'INVALID_ANSWER',
    ),

  encodeError: (requestId, error) =>
    toLine(
      { type: 'control_response', response: { subtype: 'error', request_id: requestId, error } },
      'INVALID_ANSWER',
    ),

  encodeCancel: (requestId) => toLine({ type: 'control_cancel_request', request_id: requestId }, 'INVALID_OPTIONS'),
};
