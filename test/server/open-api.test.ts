import { Validator } from '@seriousme/openapi-schema-validator';
import { beforeAll, describe, expect, it } from 'vitest';
import { ERROR_CODES } from '../../src/errors.ts';
import { serverStage } from './stage.ts';

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
}

interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

let document: Document;
let routes: readonly string[];

describe('the OpenAPI document', () => {
  beforeAll(async () => {
    const { ask, app } = await serverStage();
    document = (await ask('GET', '/openapi.json')).body as unknown as Document;
    routes = registered(app.printRoutes({ commonPrefix: false }));
  });

  it('is valid OpenAPI 3.1', async () => {
    expect(document.openapi).toBe('3.1.0');
    expect(await new Validator().validate(JSON.parse(JSON.stringify(document)))).toMatchObject({ valid: true });
  });

  it('has every route of the server, and no other', () => {
    const described = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
    );
    // The document itself and the page are no part of the API.
    const hidden = ['GET /', 'GET /openapi.json', 'GET /v1/ws'];

    expect(described.toSorted()).toEqual(routes.filter((route) => !hidden.includes(route)).toSorted());
  });

  it('gives every operation a name of its own, a sentence, and a problem as its other answer', () => {
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
    const names = operations.map(({ operationId }) => operationId);

    expect(new Set(names).size).toBe(names.length);
    for (const { operationId, summary, responses } of operations) {
      expect([operationId, summary.endsWith('.')]).toEqual([operationId, true]);
      expect(Object.keys(responses['default']?.content ?? {})).toEqual(['application/problem+json']);
    }
  });
});

describe('a problem', () => {
  it('carries a code of the table, its sentence, and the status of the answer', async () => {
    const { ask } = await serverStage();
    const { status, body, headers } = await ask('GET', '/v1/sessions/nobody');

    expect(headers['content-type']).toContain('application/problem+json');
    expect(body).toMatchObject({ code: 'SESSION_NOT_FOUND', title: ERROR_CODES.SESSION_NOT_FOUND, status });
    expect(body['type']).toBe('urn:troupe:error:SESSION_NOT_FOUND');
  });
});

/** `GET /v1/sessions/:id` and so on, out of the tree that fastify prints: each line continues the path of the one above it. */
function registered(printed: string): string[] {
  const above: string[] = [];
  return printed.split('\n').flatMap((line) => {
    const [, indent = '', part = '', methods] = /^([│ ]*)[├└]── (\S*)(?: \(([A-Z, ]+)\))?/.exec(line) ?? [];
    if (part === '') return [];
    above.splice(indent.length / 4, above.length, part);
    const path = above.join('');
    return methods === undefined ? [] : methods.split(', ').map((method) => `${method} ${path}`);
  });
}
