import { describe, expect, it } from 'vitest';
import { baselineOf } from '../../../src/testing/drift/baseline.ts';
import { compare } from '../../../src/testing/drift/comparison.ts';
import { addShape, type Shape } from '../../../src/testing/drift/line-shape.ts';
import type { Observation } from '../../../src/testing/drift/observation.ts';

type Lines = readonly (readonly [kind: string, value: unknown])[];

const RUN: Lines = [
  ['init', { tools: ['Bash'], capabilities: ['one', 'two'], mode: { plan: true } }],
  ['text', { id: 'a', usage: { tokens: 1 } }],
  ['result', { is_error: false, cost: 0.1 }],
];

describe('what drift is', () => {
  it('is nothing where the same kinds have the same fields in the same order, whatever their values', () => {
    const same: Lines = [
      ['init', { tools: ['Read', 'Edit'], capabilities: ['two', 'one'], mode: { plan: false } }],
      ['text', { id: 'b', usage: { tokens: 2 } }],
      ['result', { is_error: false, cost: 7 }],
    ];

    expect(drift([RUN], same)).toEqual([]);
  });

  it('is a kind that was not there, and one that is there no more', () => {
    const seen: Lines = [RUN[0], ['news', {}], RUN[2]].flatMap((line) =>
      line === undefined ? [] : [line as Lines[0]],
    );

    expect(drift([RUN], seen)).toEqual([
      { change: 'missing', what: 'message', scene: 'scene', message: 'text' },
      { change: 'new', what: 'message', scene: 'scene', message: 'news' },
    ]);
  });

  it('is a field that is new, missing, or of another type, told once for what it holds', () => {
    const seen = withText({ id: 1, more: { deep: true } });

    expect(drift([RUN], seen)).toEqual([
      { change: 'changed', what: 'type', scene: 'scene', message: 'text', field: 'id', was: 'string', is: 'number' },
      { change: 'missing', what: 'field', scene: 'scene', message: 'text', field: 'usage', was: 'object' },
      { change: 'new', what: 'field', scene: 'scene', message: 'text', field: 'more', is: 'object' },
    ]);
  });

  it('is another word of the protocol, also one among several', () => {
    const seen: Lines = [
      ['init', { tools: ['Bash'], capabilities: ['one', 'three'], mode: { plan: true } }],
      ...RUN.slice(1, 2),
      ['result', { is_error: true, cost: 0.1 }],
    ];

    expect(drift([RUN], seen)).toMatchObject([
      { change: 'changed', what: 'type', field: 'capabilities[]', was: '=one | =two', is: '=one | =three' },
      { change: 'changed', what: 'type', field: 'is_error', was: '=false', is: '=true' },
    ]);
  });

  it('is a kind that comes more often than it always did', () => {
    expect(drift([RUN], [...RUN, ...RUN.slice(2)])).toEqual([
      { change: 'changed', what: 'count', scene: 'scene', message: 'result', was: '1', is: '2' },
    ]);
  });

  it('is another order, told of the kind that moved and of no other', () => {
    const seen = [...RUN.slice(1), ...RUN.slice(0, 1)];

    expect(drift([RUN], seen)).toEqual([
      { change: 'changed', what: 'order', scene: 'scene', message: 'init', was: 'before text', is: 'after text' },
    ]);
  });

  it('is a scene that nobody knows', () => {
    expect(compare(baselineOf('2.1.0', []), observationOf(RUN))).toEqual([
      { change: 'new', what: 'scene', scene: 'scene' },
    ]);
  });
});

describe('what differs between runs of one release', () => {
  it('is no drift: kinds, fields, types, counts and orders that came and went', () => {
    const other: Lines = [
      ['text', { id: 'a', usage: { tokens: null } }],
      ['init', { tools: ['Bash'], capabilities: ['one', 'two'], mode: { plan: true } }],
      ['text', { id: 'a' }],
      ['extra', {}],
      ['result', { is_error: false, cost: 0.1 }],
    ];

    for (const seen of [RUN, other]) expect(drift([RUN, other], seen)).toEqual([]);
    expect(drift([RUN], other)).not.toEqual([]);
  });

  it('is no reason to miss what was there every time', () => {
    const other = withText({ id: 'a' });

    expect(drift([RUN, other], withText({ usage: { tokens: 1 } }))).toMatchObject([{ change: 'missing', field: 'id' }]);
  });
});

it('what depends on time may come, stay away and stand anywhere', () => {
  const seen = [...RUN.slice(1), ['slow', {}] as const];

  expect(compare(baselineOf('2.1.0', [observationOf(RUN)]), observationOf(seen), new Set(['init', 'slow']))).toEqual(
    [],
  );
});

function drift(known: readonly Lines[], seen: Lines) {
  return compare(baselineOf('2.1.0', known.map(observationOf)), observationOf(seen));
}

function withText(value: unknown): Lines {
  return RUN.map(([kind, was]) => [kind, kind === 'text' ? value : was]);
}

function observationOf(lines: Lines): Observation {
  const kinds = new Map<string, { times: number; shape: Shape }>();
  for (const [kind, value] of lines) {
    const known = kinds.get(kind) ?? { times: 0, shape: new Map() };
    addShape(known.shape, value);
    kinds.set(kind, { ...known, times: known.times + 1 });
  }
  return { scenes: new Map([['scene', { kinds }]]), missing: [] };
}
