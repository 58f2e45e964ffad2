import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gapOf } from '../../src/wire/stream-json/known-message.ts';

const TYPES = readFileSync(
  join(dirname(createRequire(import.meta.url).resolve('@anthropic-ai/claude-agent-sdk')), 'sdk.d.ts'),
  'utf8',
).replaceAll(/\/\*.*?\*\//gs, '');
const EXPORTED = readFileSync(new URL('../../src/index.ts', import.meta.url), 'utf8');

const NAMES = declared('SDKMessage').match(/SDK\w+/g) ?? [];

/** What stands behind the name of a type, to the next declaration. */
function declared(name: string): string {
  const [, body = ''] = TYPES.split(new RegExp(`^export declare type ${name} = `, 'm'));
  return body.split(/^(?:export )?declare /m, 1)[0] ?? '';
}

/** The types whose bodies hold the fields: a union stands for its members. */
function bodiesOf(name: string): string[] {
  const body = declared(name);
  return body.trimStart().startsWith('SDK') ? (body.match(/SDK\w+/g) ?? []).map(declared) : [body];
}

function literal(body: string, field: string): (string | undefined)[] {
  const [, union] = new RegExp(`^ {4}${field}: ('[^;]+);`, 'm').exec(body) ?? [];
  return union === undefined ? [undefined] : [...union.matchAll(/'(\w+)'/g)].map(([, value]) => value);
}

describe('the messages of the official SDK', () => {
  it('are the forty kinds of its union', () => {
    expect(NAMES).toHaveLength(40);
  });

  it.each(NAMES)('%s is exported by its name, and has a schema', (name) => {
    expect(EXPORTED).toMatch(new RegExp(`\\b${name}\\b`));
    for (const body of bodiesOf(name)) {
      const [type] = literal(body, 'type');
      expect(type, body).toBeDefined();
      for (const subtype of literal(body, 'subtype'))
        expect(gapOf(type, subtype), `${type}/${subtype}`).toBeUndefined();
    }
  });
});
