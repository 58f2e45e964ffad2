import { expect, it } from 'vitest';
import { coverageOf, walkModels } from './campaign.ts';

const LONG = 300_000;

it(
  'paths over the models come to every state and by every transition, and from everywhere to an end (P5, P6)',
  () => {
    const machines = coverageOf([], walkModels());

    expect(machines.length).toBeGreaterThan(8);
    expect(machines.flatMap(({ machine, missing }) => missing.map((part) => `${machine}: ${part}`))).toEqual([]);
    expect(machines.flatMap(({ machine, deadEnds }) => deadEnds.map((place) => `${machine}: ${place}`))).toEqual([]);
  },
  LONG,
);
