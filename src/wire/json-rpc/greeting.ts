import { isRecord, recordsOf, stringOf, stringsOf } from '../fields.ts';
import { type Extension, type PeerAbilities, PROTOCOL_VERSION } from './peer-abilities.ts';

type Json = Readonly<Record<string, unknown>>;

/** The parameters of `initialize` out of what a session registers at its start. */
export function greetingOf(request: Json): Record<string, unknown> {
  const { sessionId, sdkMcpServers, sessionOptions } = request;
  const hooks = hooksOf(request['hooks']);
  const servers = stringsOf(sdkMcpServers);
  return {
    protocol_version: PROTOCOL_VERSION,
    capabilities: { streaming: true, permissions: true, progress: true },
    ...(typeof sessionId === 'string' ? { session_id: sessionId } : {}),
    ...(Object.keys(hooks).length === 0 ? {} : { hooks }),
    ...(servers.length === 0 ? {} : { in_process_servers: servers }),
    ...(isRecord(sessionOptions) && Object.keys(sessionOptions).length > 0 ? { options: sessionOptions } : {}),
  };
}

/** What the session needs and the engine has not, by the names of the options; nothing may be left out silently. */
export function missingOf(greeting: Json, { extensions }: Pick<PeerAbilities, 'extensions'>): string[] {
  const lacks = (extension: Extension, field: string) => greeting[field] !== undefined && !extensions.has(extension);
  return [
    ...(lacks('hooks', 'hooks') ? ['hooks'] : []),
    ...(lacks('in_process_tools', 'in_process_servers') ? ['mcpServers'] : []),
    ...(lacks('session_options', 'options')
      ? Object.keys(isRecord(greeting['options']) ? greeting['options'] : {})
      : []),
  ];
}

function hooksOf(registered: unknown): Record<string, unknown> {
  if (!isRecord(registered)) return {};
  const events = Object.entries(registered).map(([event, matchers]) => [
    event,
    recordsOf(matchers).map(({ matcher, hookCallbackIds, timeout, onFailure }) => ({
      ...(stringOf(matcher) === undefined ? {} : { matcher }),
      hook_ids: stringsOf(hookCallbackIds),
      ...(typeof timeout === 'number' ? { timeout } : {}),
      ...(typeof onFailure === 'string' ? { on_failure: onFailure } : {}),
    })),
  ]);
  return Object.fromEntries(events);
}
