import { readFileSync } from 'node:fs';
import type { SessionOptions } from '../../../src/index.ts';
import type { Scenario } from '../../../src/testing/fake-cli/scenario.ts';
import type { DialectHarness } from '../../dialects/conformance.ts';
import { processesOf, stage } from '../session/stage.ts';

/** The fake CLI in a dialect, by the one scenario of it. `options` are what a session needs to speak it. */
export function fakeHarness(dialect: string, options: SessionOptions = {}): DialectHarness {
  return {
    name: `${dialect}, a fake CLI`,
    async start(wanted) {
      const { fake, start } = await stage(scenarioOf(dialect));
      const session = await start({ ...options, ...wanted });
      return {
        session,
        ran: async () => (await fake.journal()).some((entry) => entry.kind === 'tool' && entry.tool === 'Bash'),
        violations: () => fake.violations(),
        processes: () => processesOf(session.id),
      };
    },
  };
}

export function scenarioOf(dialect: string): Scenario {
  const path = new URL(`../../dialects/scenarios/${dialect}.json`, import.meta.url);
  return JSON.parse(readFileSync(path, 'utf8')) as Scenario;
}
