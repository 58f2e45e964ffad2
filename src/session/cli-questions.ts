import type { Handling, RequestHandler } from '../control/request-handlers.ts';
import type { HookDesk } from '../hooks/hook-desk.ts';
import type { McpDesk } from '../mcp/mcp-desk.ts';
import type { PermissionDesk } from '../permissions/permission-desk.ts';
import type { TurnWatch } from './turn-watch.ts';

export interface QuestionDesks {
  readonly permissions: PermissionDesk;
  readonly hooks: HookDesk;
  readonly mcp: McpDesk;
  readonly watch: TurnWatch;
}

/**
 * Who answers what the CLI asks; undefined for what nobody does. Looked up for each question: a table of handlers for each
 * process would be kept by every session that is asked nothing.
 */
export function handlingOf(subtype: string, { permissions, hooks, mcp, watch }: QuestionDesks): Handling | undefined {
  const handling = (waitsFor: 'human' | 'hook' | 'mcp', handler: RequestHandler): Handling => ({
    handle: watch.during(waitsFor, handler),
    // Its answers are decisions, which go out only when they are logged for good.
    rests: waitsFor === 'human',
  });
  switch (subtype) {
    case 'can_use_tool':
      return handling('human', ({ requestId, request, signal, respond }) =>
        permissions.ask(requestId, request, signal, respond),
      );
    case 'elicitation':
      return handling('human', ({ requestId, request, signal }) => permissions.elicit(requestId, request, signal));
    case 'request_user_dialog':
      return handling('human', ({ requestId, request, signal }) => permissions.showDialog(requestId, request, signal));
    case 'hook_callback':
      return handling('hook', ({ request, signal, respond }) => hooks.call(request, signal, respond));
    case 'mcp_message':
      return handling('mcp', ({ request, signal }) => mcp.handle(request, signal));
    default:
      return undefined;
  }
}
