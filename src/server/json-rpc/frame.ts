import type { JSONRPCRequest, JSONRPCResponse } from 'json-rpc-2.0';
import { z } from 'zod';

const Id = z.union([z.string().max(200), z.number(), z.null()]);
/** May be left out, as in the shortened traces of the write-up; another version is another protocol. */
const Version = z.literal('2.0').default('2.0');
const Call = z.object({
  jsonrpc: Version,
  method: z.string().min(1).max(100),
  id: Id.optional(),
  params: z.unknown().optional(),
});
const Succeeded = z.object({ jsonrpc: Version, id: Id, result: z.unknown(), error: z.undefined().optional() });
const Failed = z.object({
  jsonrpc: Version,
  id: Id,
  error: z.object({ code: z.number(), message: z.string() }),
});

/** What a frame holds: calls and notifications, or answers to calls of ours; one, or a batch. */
export type Frame =
  | { readonly kind: 'call'; readonly call: JSONRPCRequest }
  | { readonly kind: 'batch'; readonly calls: JSONRPCRequest[] }
  | { readonly kind: 'reply'; readonly replies: JSONRPCResponse[] }
  | { readonly kind: 'unreadable' }
  | { readonly kind: 'invalid' };

/** Never throws. */
export function readFrame(text: string): Frame {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: 'unreadable' };
  }
  const call = Call.safeParse(value);
  if (call.success) return { kind: 'call', call: callOf(call.data) };
  const batch = z.array(Call).safeParse(value);
  if (batch.success) return { kind: 'batch', calls: batch.data.map(callOf) };
  const replies = z.array(z.union([Failed, Succeeded])).safeParse([value].flat());
  if (!replies.success || replies.data.length === 0) return { kind: 'invalid' };
  return { kind: 'reply', replies: replies.data.map(replyOf) };
}

function callOf({ id, ...call }: z.infer<typeof Call>): JSONRPCRequest {
  return id === undefined ? call : { ...call, id };
}

function replyOf(reply: z.infer<typeof Failed> | z.infer<typeof Succeeded>): JSONRPCResponse {
  const { jsonrpc, id, error } = reply;
  if (error !== undefined) return { jsonrpc, id, error };
  return { jsonrpc, id, result: reply.result ?? null };
}
