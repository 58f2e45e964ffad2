import { dialectConformance } from '../../dialects/conformance.ts';
import { fakeHarness } from './fake-harness.ts';

dialectConformance(fakeHarness('json-rpc', { dialect: 'json-rpc' }));
