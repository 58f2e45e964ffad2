import { z } from 'zod';
import type { App, ServerContext } from './app.ts';
import { described } from './route-schema.ts';

/** For Prometheus, which brings a token that may read. */
export function metricsRoute(app: App, { metrics }: ServerContext): void {
  app.get(
    '/metrics',
    {
      config: { scope: 'read' },
      schema: described('getMetrics', 'What is measured of the fleet, in the text format of Prometheus.', {
        tag: 'health',
        response: { 200: { description: 'The metrics.', content: { 'text/plain': { schema: z.string() } } } },
      }),
    },
    async (_request, reply) => {
      const text = await metrics.text();
      return reply.type(metrics.contentType).send(text);
    },
  );
}
