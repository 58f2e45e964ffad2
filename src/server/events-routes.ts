import type { App, ServerContext } from './app.ts';

/** The event streams: of one session, and of the fleet. */
export function eventsRoutes(_app: App, _context: ServerContext): void {}
