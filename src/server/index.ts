export type { Scope, Token } from './access.ts';
export { createServer, type Server } from './server.ts';
export {
  DEFAULT_SERVER_LIMITS,
  DEFAULT_SERVER_TIMEOUTS,
  type ServerLimits,
  type ServerOptions,
  type ServerTimeouts,
} from './server-options.ts';
export { type StreamServer, type StreamServerOptions, serveFrontEnd } from './stream-server.ts';
