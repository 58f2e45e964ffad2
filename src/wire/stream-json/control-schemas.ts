import { z } from 'zod';

/** Control lines of either side (WIRE §1): the id is at the top level of a request and inside `response` of an answer. */
export const ControlRequestLine = z.looseObject({
  type: z.literal('control_request'),
  request_id: z.string(),
  request: z.record(z.string(), z.unknown()),
});
export type ControlRequestLine = z.infer<typeof ControlRequestLine>;

export const ControlResponseLine = z.looseObject({
  type: z.literal('control_response'),
  response: z.discriminatedUnion('subtype', [
    z.looseObject({ subtype: z.literal('success'), request_id: z.string(), response: z.unknown().optional() }),
    z.looseObject({
      subtype: z.literal('error'),
      request_id: z.string(),
      error: z.unknown().optional(),
      error_code: z.unknown().optional(),
    }),
  ]),
});
export type ControlResponseLine = z.infer<typeof ControlResponseLine>;

export const ControlCancelLine = z.looseObject({ type: z.literal('control_cancel_request'), request_id: z.string() });
export type ControlCancelLine = z.infer<typeof ControlCancelLine>;

const JsonObject = z.record(z.string(), z.unknown());

/** May the tool run? 2.1.19 and older send only name, input, suggestions and tool use id (WIRE §5). */
export const CanUseToolRequest = z.looseObject({
  subtype: z.literal('can_use_tool'),
  tool_name: z.string(),
  input: JsonObject,
  tool_use_id: z.string().nullish(),
  display_name: z.string().nullish(),
  description: z.string().nullish(),
  permission_suggestions: z.array(z.unknown()).nullish(),
  blocked_path: z.string().nullish(),
  decision_reason: z.string().nullish(),
  decision_reason_type: z.string().nullish(),
  requires_user_interaction: z.boolean().nullish(),
  agent_id: z.string().nullish(),
});

/** A registered hook fires (WIRE §7). */
export const HookCallbackRequest = z.looseObject({
  subtype: z.literal('hook_callback'),
  callback_id: z.string(),
  input: z.looseObject({ hook_event_name: z.string().nullish() }),
  tool_use_id: z.string().nullish(),
});

/** A JSON-RPC message for an in-process MCP server (WIRE §2). */
export const McpMessageRequest = z.looseObject({
  subtype: z.literal('mcp_message'),
  server_name: z.string(),
  message: JsonObject,
});

/** An MCP server asks the user something (WIRE §19). */
export const ElicitationRequest = z.looseObject({
  subtype: z.literal('elicitation'),
  mcp_server_name: z.string(),
  message: z.string(),
  mode: z.string().nullish(),
  requested_schema: JsonObject.nullish(),
  property_order: z.array(z.string()).nullish(),
});

/** A dialog of the CLI itself; its shape was never seen (WIRE §26). */
export const UserDialogRequest = z.looseObject({ subtype: z.literal('request_user_dialog') });

/** What the CLI asks of its host. */
export const CliControlRequest = z.discriminatedUnion('subtype', [
  CanUseToolRequest,
  HookCallbackRequest,
  McpMessageRequest,
  ElicitationRequest,
  UserDialogRequest,
]);
export type CliControlRequest = z.infer<typeof CliControlRequest>;
