import { dialectConformance } from '../../dialects/conformance.ts';
import { fakeHarness } from './fake-harness.ts';

const DIALECT = 'stream-json-sdk-control';

dialectConformance(fakeHarness(DIALECT, { dialect: DIALECT }));
// A peer that reads only its own spelling is greeted again after a quarter of that time.
dialectConformance({
  ...fakeHarness(DIALECT, { timeouts: { initializeMs: 4_000 } }),
  name: `${DIALECT}, told by its first lines`,
});
