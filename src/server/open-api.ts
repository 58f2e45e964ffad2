import swagger from '@fastify/swagger';
import { createJsonSchemaTransform, createJsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { App } from './app.ts';
import { DOCUMENTED_BODIES } from './route-schema.ts';

/** Describes every route that is registered after it. */
export async function describeRoutes(app: App): Promise<void> {
  const transform = createJsonSchemaTransform({ zodToJsonConfig: { unrepresentable: 'any' } });
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Troupe',
        description: 'Many Claude Code agents as supervised actors: start, prompt, watch, approve, interrupt.',
        version: '1',
      },
      tags: ['sessions', 'prompts', 'permissions', 'events', 'supervisor', 'access', 'health'].map((name) => ({
        name,
      })),
      components: {
        securitySchemes: {
          token: { type: 'http', scheme: 'bearer' },
        },
      },
      security: [{ token: [] }],
    },
    transform: (route) => {
      const body: unknown = route.schema?.body;
      const documented = body instanceof z.ZodType ? DOCUMENTED_BODIES.get(body) : undefined;
      return transform(documented === undefined ? route : { ...route, schema: { ...route.schema, body: documented } });
    },
    transformObject: createJsonSchemaTransformObject({ zodToJsonConfig: { unrepresentable: 'any' } }),
  });
}

/** The document itself. */
export function openApiRoute(app: App): void {
  app.get('/openapi.json', { config: { scope: 'read' }, schema: { hide: true } }, async (_request, reply) =>
    reply.type('application/json').send(JSON.stringify(app.swagger())),
  );
}
