import { z } from 'zod';
import { type ErrorCode, TroupeError } from '../errors.ts';
import type { App, ServerContext } from './app.ts';
import { described } from './route-schema.ts';

const Status = z.strictObject({ status: z.string(), code: z.string().optional() });

/** For whoever watches the process: open to all, and saying no more than a code. */
export function healthRoutes(app: App, { supervisor, closing }: ServerContext): void {
  let unready: ErrorCode | 'RECOVERING' | undefined = 'RECOVERING';
  supervisor.recovered.then(
    () => {
      unready = undefined;
    },
    (error: unknown) => {
      unready = TroupeError.is(error) ? error.code : 'STORE_FAILED';
    },
  );

  app.get(
    '/healthz',
    {
      config: { scope: 'open' },
      schema: described('health', 'Whether the process answers.', { tag: 'health', response: { 200: Status } }),
    },
    async () => ({ status: 'ok' }),
  );

  app.get(
    '/readyz',
    {
      config: { scope: 'open' },
      schema: described(
        'readiness',
        'Whether sessions and prompts are taken: the store can be written, nothing drains.',
        {
          tag: 'health',
          response: { 200: Status, 503: Status },
        },
      ),
    },
    async (_request, reply) => {
      const code = closing.aborted ? 'SERVER_CLOSING' : (unready ?? supervisor.refusal?.code);
      if (code === undefined) return { status: 'ready' };
      return reply.code(503).header('retry-after', '5').send({ status: 'unready', code });
    },
  );
}
