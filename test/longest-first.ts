import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take longest: begun last, one of them would keep everybody waiting. */
const LONGEST = [
  'slow/official-sdk/programs',
  'slow/real-cli/mcp-external',
  'slow/chaos/store-campaign',
  'slow/store/kill',
  'slow/real-cli/turns',
  'slow/real-cli/endings',
  'slow/supervision/footprint',
  'slow/chaos/campaign',
  'slow/real-cli/mcp-misbehaving',
  'slow/real-cli/interrupts',
];

/** A clean checkout knows no durations, and the size of a file says little about them. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const index = LONGEST.findIndex((name) => moduleId.includes(`test/${name}.`));
      return index < 0 ? LONGEST.length : index;
    };
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}
