import { parseSessionOptions } from '../launch/session-options.ts';
import type { Supervisor } from '../supervision/supervisor.ts';
import { Engine } from './json-rpc/engine.ts';
import type { EngineLimits } from './json-rpc/engine-limits.ts';
import type { FrontEnd } from './json-rpc/front-end-link.ts';
import type { ServerSettings } from './server-options.ts';
import { sessionOptionsOf } from './session-start.ts';

/** The engine of the JSON-RPC dialect under the rules of the server: whatever carries the frames, the same options are open. */
export function frontEndEngine(
  supervisor: Supervisor,
  settings: ServerSettings,
  more: Partial<EngineLimits> = {},
): Engine {
  const { clock, limits } = settings;
  return new Engine({
    supervisor,
    clock,
    limits: { maxFrameBytes: limits.maxBodyBytes, maxBufferedBytes: limits.maxSubscriberBufferBytes, ...more },
    checkOptions: (frontEnd, options) => sessionOptionsOf(options, callerFor(frontEnd), settings),
    startSession: async (frontEnd, id, options, { hooks, mcpServers }) => {
      const asked = id === undefined ? options : { ...options, id };
      const allowed = await sessionOptionsOf(asked, callerFor(frontEnd), settings);
      return supervisor.start(
        parseSessionOptions({
          ...allowed,
          ...(hooks === undefined ? {} : { hooks }),
          ...(mcpServers === undefined ? {} : { mcpServers: { ...allowed.mcpServers, ...mcpServers } }),
        }),
      );
    },
  });
}

function callerFor({ name, scopes }: FrontEnd) {
  return { name, scopes: [...scopes], by: 'token' } as const;
}
