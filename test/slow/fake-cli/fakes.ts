import { afterEach } from 'vitest';
import { type FakeClaude, fakeClaude } from '../../../src/testing/fake-cli/fake-claude.ts';
import type { Scenario } from '../../../src/testing/fake-cli/scenario.ts';
import { Host, type HostOptions } from './host.ts';

const fakes: FakeClaude[] = [];

afterEach(async () => {
  await Promise.all(fakes.splice(0).map((fake) => fake.dispose()));
});

/** A fake that is disposed after the test. */
export async function newFake(scenario?: Scenario): Promise<FakeClaude> {
  const fake = await fakeClaude(scenario);
  fakes.push(fake);
  return fake;
}

/** A fake and a host that started one process of it. */
export async function newHost(scenario?: Scenario, options?: HostOptions): Promise<{ host: Host; fake: FakeClaude }> {
  const fake = await newFake(scenario);
  return { host: new Host(fake, options), fake };
}

/** The kinds of violation a fake recorded. */
export async function violationsOf(fake: FakeClaude): Promise<string[]> {
  return (await fake.violations()).map((entry) => entry.violation);
}
