import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { App, ServerContext } from './app.ts';
import { dashboardFolders } from './server-options.ts';

const NOT_BUILT = 'The dashboard is not built: npm run build. The API is at /openapi.json.\n';

/** The page: static files that hold no secret, so they are open; what they show they have to ask for. */
export async function dashboardRoutes(app: App, { settings }: ServerContext): Promise<void> {
  const root = dashboardFolders(settings).find((folder) => existsSync(join(folder, 'index.html')));
  if (root === undefined) {
    app.get('/', { config: { scope: 'open' }, schema: { hide: true } }, async (_request, reply) =>
      reply.type('text/plain; charset=utf-8').send(NOT_BUILT),
    );
    return;
  }
  app.addHook('onRoute', (route) => {
    route.schema = { ...route.schema, hide: true };
    route.config = { ...route.config, scope: 'open' };
  });
  await app.register(fastifyStatic, {
    root,
    // Each file is a route of its own: nothing that is not there now can be asked for.
    wildcard: false,
    dotfiles: 'ignore',
    cacheControl: false,
    list: false,
    setHeaders: (response, path) => {
      // Names of assets change with their content.
      const isHashed = path.includes('/assets/');
      response.setHeader('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
    },
  });
}
