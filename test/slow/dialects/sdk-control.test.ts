import { dialectConformance } from '../../dialects/conformance.ts';
import { fakeHarness } from './fake-harness.ts';

const DIALECT = 'stream-json-sdk-control';

dialectConformance(fakeHarness(DIALECT, { dialect: DIALECT }));
dialectConformance({ ...fakeHarness(DIALECT), name: `${DIALECT}, told by its first lines` });
