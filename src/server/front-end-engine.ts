import type { Supervisor } from '../supervision/supervisor.ts';
import { Engine } from './json-rpc/engine.ts';
import type { EngineLimits } from './json-rpc/engine-limits.ts';
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
    startSession: async ({ name, scopes }, id, options) => {
      const caller = { name, scopes: [...scopes], by: 'token' } as const;
      const asked = id === undefined ? options : { ...options, id };
      return supervisor.start(await sessionOptionsOf(asked, caller, settings));
    },
  });
}
