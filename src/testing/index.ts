export { type FakeClaude, fakeClaude } from './fake-cli/fake-claude.ts';
export {
  type Behaviour,
  type Match,
  on,
  type Rule,
  type Scenario,
  type Step,
  step,
  when,
} from './fake-cli/scenario.ts';
export { type FakeModel, fakeModel } from './fake-model/fake-model.ts';
export {
  cutAfter,
  delay,
  empty,
  error,
  errorTimes,
  hang,
  type ModelRule,
  type ModelScript,
  maxTokens,
  type RequestPattern,
  refusal,
  streamText,
  text,
  thinking,
  together,
  toolUse,
} from './fake-model/script.ts';
export { findRealCli, type RealCliHome, realCliHome } from './real-cli.ts';
export { type ConformanceCase, sessionStoreConformance } from './session-store-conformance.ts';
export { type SimulatedClock, simulatedClock } from './simulated-clock.ts';
export { type StoreSubject, storeConformance } from './store-conformance.ts';
