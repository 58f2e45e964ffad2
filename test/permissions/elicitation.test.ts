import { describe, expect, it } from 'vitest';
import { parseElicitationResult, readElicitation, wireElicitation } from '../../src/permissions/elicitation.ts';
import { codeOf } from './desk-harness.ts';

const WIRE = {
  subtype: 'elicitation',
  mcp_server_name: 'docs',
  message: 'Which one?',
  mode: 'form',
  requested_schema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  property_order: ['name'],
};

describe('an elicitation (WIRE §19)', () => {
  it('is read with the names of the official SDK', () => {
    const wire = {
      ...WIRE,
      url: 'https://a.example',
      elicitation_id: 'e1',
      title: 'T',
      display_name: 'D',
      description: 'X',
    };
    const request = readElicitation('r1', wire, 5);
    expect(request).toMatchObject({
      kind: 'elicitation',
      id: 'r1',
      askedAt: 5,
      title: 'T',
      displayName: 'D',
      description: 'X',
    });
    expect(request.elicitation).toEqual({
      serverName: 'docs',
      message: 'Which one?',
      mode: 'form',
      url: 'https://a.example',
      elicitationId: 'e1',
      requestedSchema: WIRE.requested_schema,
      title: 'T',
      displayName: 'D',
      description: 'X',
    });
  });

  it.each([[{}], [{ mcp_server_name: 7, message: null, requested_schema: 'x', mode: [] }]])(
    'is read whatever is missing or malformed: %j',
    (wire) => {
      expect(readElicitation('r1', wire, 0).elicitation).toEqual({ serverName: '', message: '' });
    },
  );
});

describe('the answer to an elicitation', () => {
  it.each(['hasOwnProperty', 'toString', '__proto__', 'isPrototypeOf', 'constructor'])(
    'survives a server whose field has the type "%s" (P10)',
    (type) => {
      const requestedSchema = { type: 'object', properties: { name: { type } } };
      const request = { serverName: 'docs', message: 'Which one?', requestedSchema };
      expect(parseElicitationResult({ action: 'accept', content: { name: 'x' } }, request)).toEqual({
        behavior: 'accept',
        content: { name: 'x' },
      });
    },
  );

  it.each([
    [
      { action: 'accept', content: { name: 'a' } },
      { action: 'accept', content: { name: 'a' } },
    ],
    [{ action: 'decline' }, { action: 'decline' }],
    [{ action: 'decline', content: { name: 7 } }, { action: 'decline' }],
    [{ action: 'cancel' }, { action: 'cancel' }],
    [{ action: 'cancel', content: null }, { action: 'cancel' }],
  ])('%j goes to the CLI as %j', (answer, wire) => {
    expect(wireElicitation(parsed(answer, WIRE.requested_schema))).toEqual(wire);
  });

  it('that accepts a question without a form is empty', () => {
    expect(wireElicitation(parsed({ action: 'accept' }))).toEqual({ action: 'accept', content: {} });
    expect(wireElicitation(parsed({ action: 'accept', content: null }))).toEqual({ action: 'accept', content: {} });
  });

  it.each([
    [null, 'action'],
    [{}, 'action'],
    [{ action: 'yes' }, 'action'],
    [{ behavior: 'allow' }, 'action'],
    [{ action: 'accept', content: 'x' }, 'content'],
    [{ action: 'accept', content: { name: 1n } }, 'content'],
    [{ action: 'accept' }, 'content.name'],
    [{ action: 'accept', content: { other: 'x' } }, 'content.name'],
    [{ action: 'accept', content: { name: 7 } }, 'content.name'],
  ])('%s is refused, naming the field "%s"', (answer, field) => {
    expect(codeOf(() => parsed(answer, WIRE.requested_schema))).toEqual({ code: 'INVALID_ANSWER', field });
  });

  const properties = {
    age: { type: 'integer', minimum: 0, maximum: 150 },
    share: { type: 'number' },
    isSure: { type: 'boolean' },
    nick: { type: 'string', minLength: 2, maxLength: 3 },
    color: { type: 'string', enum: ['red', 'green'] },
    size: {
      type: 'string',
      oneOf: [
        { const: 's', title: 'Small' },
        { const: 'l', title: 'Large' },
      ],
    },
    tags: { type: 'array', minItems: 1, maxItems: 2, items: { type: 'string', enum: ['a', 'b', 'c'] } },
    marks: { type: 'array', items: { anyOf: [{ const: 'x', title: 'X' }] } },
    strange: { type: 'novel', enum: 'none', oneOf: [7] },
    nothing: null,
  };

  it.each([
    ['age', 30],
    ['age', 0],
    ['share', 0.5],
    ['isSure', false],
    ['nick', 'abc'],
    ['nick', '👍👍👍'],
    ['color', 'red'],
    ['size', 'l'],
    ['tags', ['a', 'c']],
    ['marks', []],
    ['strange', { any: 'thing' }],
    ['nothing', 1],
    ['unknown', 1],
  ])('fits the schema: %s %j', (name, value) => {
    expect(parsed({ action: 'accept', content: { [name]: value } }, { properties })).toMatchObject({
      behavior: 'accept',
    });
  });

  it.each([
    ['age', 30.5],
    ['age', '30'],
    ['age', -1],
    ['age', 151],
    ['share', '0.5'],
    ['isSure', 'true'],
    ['nick', 'a'],
    ['nick', 'abcd'],
    ['color', 'blue'],
    ['color', null],
    ['size', 'Large'],
    ['tags', 'a'],
    ['tags', []],
    ['tags', ['a', 'b', 'c']],
    ['tags', ['d']],
    ['marks', ['y']],
  ])('does not fit the schema: %s %j', (name, value) => {
    const answer = { action: 'accept', content: { [name]: value } };
    expect(codeOf(() => parsed(answer, { properties }))).toEqual({ code: 'INVALID_ANSWER', field: `content.${name}` });
  });

  it('holds what was not asked for only where the schema does not mind', () => {
    const answer = { action: 'accept', content: { extra: 1 } };
    expect(codeOf(() => parsed(answer, { properties, additionalProperties: false }))).toEqual({
      code: 'INVALID_ANSWER',
      field: 'content.extra',
    });
    expect(codeOf(() => parsed({ action: 'accept', content: {} }, { required: ['toString'] }))).toMatchObject({
      field: 'content.toString',
    });
  });

  it('is a copy: what the caller does to its object later changes nothing (P4)', () => {
    const content = { name: 'a' };
    const decision = parsed({ action: 'accept', content });
    content.name = 'b';
    expect(decision.content).toEqual({ name: 'a' });
  });
});

function parsed(answer: unknown, requestedSchema?: Record<string, unknown>) {
  const schema = requestedSchema === undefined ? {} : { requestedSchema };
  return parseElicitationResult(answer, { serverName: 'docs', message: '', ...schema });
}
