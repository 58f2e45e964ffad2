import type { Scenario, Step } from '../../../src/testing/fake-cli/scenario.ts';
import { checkScenario, MATCHES, STEPS } from '../../../src/testing/fake-cli/scenario-check.ts';
import { jsonOf, jsonSeeds } from '../json-input.ts';
import { attempt } from '../refusals.ts';
import { type FuzzTarget, holds } from '../target.ts';

const SAMPLES: Readonly<Record<string, unknown>> = {
  text: 'a',
  number: 1,
  boolean: true,
  object: {},
  list: [{ step: 'hang' }],
  signal: 'SIGTERM',
  ignorable: 'SIGTERM',
};

export const target: FuzzTarget = {
  name: 'scenarios',
  promise: 'P6 A scenario file of any content is a scenario, or refused with the place that is wrong.',
  format: 'json',
  isGuided: true,
  seeds: () => [...jsonSeeds(...everyStep(), ...everyMatch()), ...ofDialects()],
  open: () => ({ run: checks }),
};

function checks(input: Buffer): void {
  const value = jsonOf(input);
  // It is handed over as it was read: whether it is one, is what is asked.
  const checked = attempt(() => checkScenario(value as Scenario), 'INVALID_OPTIONS');
  if ('refused' in checked) return;
  const { atStart = [], rules = [], perStart = [] } = value as Scenario;
  for (const behaviour of [{ atStart, rules }, ...perStart]) {
    onlyKnown(behaviour.atStart ?? []);
    for (const rule of behaviour.rules ?? []) {
      holds(Object.hasOwn(MATCHES, rule.on.kind), `A rule waits for ${rule.on.kind}, and was taken.`);
      onlyKnown(rule.do);
    }
  }
}

function onlyKnown(steps: readonly Step[]): void {
  for (const one of steps) {
    holds(Object.hasOwn(STEPS, one.step), `A step is ${one.step}, and was taken.`);
    if (one.step === 'repeat') onlyKnown(one.do);
  }
}

function everyStep(): unknown[] {
  return Object.entries(STEPS).flatMap(([step, fields]) => {
    const steps = [{ step, ...filled(fields) }];
    return [
      { rules: [{ on: { kind: 'control' }, do: steps }] },
      { atStart: steps },
      { perStart: [{ atStart: steps }] },
    ];
  });
}

function everyMatch(): unknown[] {
  return Object.entries(MATCHES).map(([kind, fields]) => ({ rules: [{ on: { kind, ...filled(fields) }, do: [] }] }));
}

function filled(fields: Readonly<Record<string, string>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, kind]) => [name, SAMPLES[kind.replace('?', '')]]));
}

/** What each dialect is tested with. */
function ofDialects(): Buffer[] {
  return jsonSeeds({ ...FLAVORED, dialect: 'json-rpc' }, FLAVORED);
}

const FLAVORED = { flavor: { version: '2.1.197' }, sessions: 'any', thinkMs: 1, lifetimeMs: 5, rules: [] };
