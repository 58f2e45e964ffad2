import { dialectConformance } from '../../dialects/conformance.ts';
import { fakeHarness } from './fake-harness.ts';

dialectConformance(fakeHarness('print', { dialect: 'print' }));
