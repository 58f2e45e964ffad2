import type { App, ServerContext } from './app.ts';

/** The WebSocket of the JSON-RPC dialect, `/v1/ws`. */
export function socketRoute(_app: App, _context: ServerContext): void {}
