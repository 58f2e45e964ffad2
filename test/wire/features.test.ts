import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { featuresDocument } from '../../scripts/documents.mjs';
import { type FakeVersion, FLAVORS, type Flavor } from '../../src/testing/fake-cli/flavor.ts';
import { FEATURES, type Feature, type FeatureName, hasFeature, MEASURED_RELEASES } from '../../src/wire/features.ts';
import { recordedFeature } from './recorded-features.ts';
import { isThere, SURVEY } from './recordings.ts';

const NAMES = Object.keys(FEATURES) as FeatureName[];
const TABLE: Readonly<Record<string, Feature>> = FEATURES;

/** What no recording shows, with the reason. */
const UNRECORDED: Readonly<Partial<Record<FeatureName, string>>> = {
  awaitInitialize: 'the survey passed no such flag',
  totalsGoOn: 'the survey compared no totals over a resume',
  verbatimPrompts: 'the survey sent no such prompt',
  escapedSeparators: 'recordings were written anew as JSON, which decides about escapes itself',
  perTaskStop: 'the survey set no such field',
  resumeDropsTurn: 'the survey passed no such flag',
  projectConfigRoot: 'the survey passed no such flag',
  promptSnapshots: 'the survey set no such field',
};

describe('a feature of the CLI', () => {
  it('is there from its first release on', () => {
    expect(hasFeature('2.1.196', undefined, 'mergedQueue')).toBe(false);
    expect(hasFeature('2.1.197', undefined, 'mergedQueue')).toBe(true);
    expect(hasFeature('3.0.0', undefined, 'mergedQueue')).toBe(true);
  });

  it('ends with its last release', () => {
    expect(hasFeature('2.1.18', undefined, 'repeatedHandshake')).toBe(false);
    expect(hasFeature('2.1.205', undefined, 'repeatedHandshake')).toBe(true);
    expect(hasFeature('2.1.206', undefined, 'repeatedHandshake')).toBe(false);
  });

  it('is what the CLI says of itself, whatever its version says', () => {
    expect(hasFeature('1.0.60', ['msg_lifecycle_v1'], 'promptLifecycle')).toBe(true);
    expect(hasFeature('2.1.332', [], 'promptLifecycle')).toBe(false);
    expect(hasFeature('2.1.332', undefined, 'promptLifecycle')).toBe(true);
    expect(hasFeature('2.1.332', [], 'mergedQueue')).toBe(true);
  });

  it('is not there in a CLI whose version nobody knows, as in one older than all (WIRE §1)', () => {
    expect(hasFeature(undefined, undefined, 'mergedQueue')).toBe(false);
    expect(hasFeature('a version of its own', undefined, 'mergedQueue')).toBe(false);
  });

  it('names its source', () => {
    expect(NAMES.filter((name) => !/^(WIRE §|measured|its maker)/.test(FEATURES[name].source))).toEqual([]);
  });
});

describe('the page of releases', () => {
  it('is what docs/cli-versions.md says (else: npm run docs)', () => {
    const page = readFileSync(new URL('../../docs/cli-versions.md', import.meta.url), 'utf8');

    expect(page, 'stale: run npm run docs').toBe(featuresDocument(FEATURES, MEASURED_RELEASES, hasFeature));
  });
});

describe.runIf(isThere(SURVEY))('what was recorded of each release', () => {
  it.each(NAMES.filter((name) => !(name in UNRECORDED)))('agrees with the table: %s', (name) => {
    const seen = recordedOf(name);

    expect(seen).toEqual(seen.map(([version]) => [version, hasFeature(version, undefined, name)]));
  });

  it.each(NAMES.filter((name) => !(name in UNRECORDED)))('shows releases with and without: %s', (name) => {
    const { since, until } = TABLE[name] ?? {};
    const answers = recordedOf(name).map(([, isThere]) => isThere);

    expect(answers).toContain(true);
    if (since !== MEASURED_RELEASES[0] || until !== undefined) expect(answers).toContain(false);
  });

  it('is asked for every feature but those that it cannot show', () => {
    expect(Object.keys(UNRECORDED).filter((name) => recordedOf(name as FeatureName).length > 0)).toEqual([]);
  });
});

function recordedOf(name: FeatureName): [version: string, isThere: boolean][] {
  return MEASURED_RELEASES.flatMap((version) => {
    const answer = recordedFeature(version, name);
    return answer === undefined ? [] : [[version, answer]];
  });
}

/** How the fake CLI plays a release, where its word for it has one in the table. */
const PLAYED: Readonly<Partial<Record<FeatureName, (flavor: Flavor) => boolean>>> = {
  promptLifecycle: ({ hasLifecycle }) => hasLifecycle,
  mergedQueue: ({ mergesQueue }) => mergesQueue,
  uuidDeduplication: ({ deduplication }) => deduplication !== 'none',
  earlyHandshake: ({ mcpConfigStart }) => mcpConfigStart === 'initialize',
  earlySdkServers: ({ sdkServersStart }) => sdkServersStart === 'initialize',
  repeatedHandshake: ({ repeatsHandshake }) => repeatsHandshake,
  silentNamelessServer: ({ namelessServer }) => namelessServer === 'exits-0',
  unknownControlAnswered: ({ answersUnknownControls }) => answersUnknownControls,
  controlErrorCodes: ({ hasErrorCodes }) => hasErrorCodes,
  doubledModeAnswer: ({ repeatsPermissionModeResponse }) => repeatsPermissionModeResponse,
  allowWithoutInput: ({ allowNeedsUpdatedInput }) => !allowNeedsUpdatedInput,
  hiddenDenyMessage: ({ hidesDenyMessageOnInterrupt }) => hidesDenyMessageOnInterrupt,
  sessionState: ({ sessionStateVariables }) => sessionStateVariables.length > 0,
  sessionStateForSdk: ({ sessionStateVariables }) => sessionStateVariables.length > 1,
  interruptIsError: ({ interruptIsError }) => interruptIsError,
  interruptReceipt: ({ interruptReceipt }) => interruptReceipt,
  partialOnInterrupt: ({ partialOnInterrupt }) => partialOnInterrupt !== 'lost',
  terminalReason: ({ hasTerminalReasons }) => hasTerminalReasons,
  secondInitialize: ({ secondInitialize }) => secondInitialize === 'state' || secondInitialize === 'success',
  toleratesUnknownTypes: ({ unknownTypeExits }) => !unknownTypeExits,
  turnsPerPrompt: ({ countsTurnsOverall }) => !countsTurnsOverall,
  killsTools: ({ killsChildrenOnSignal }) => killsChildrenOnSignal,
  resumeErrorResult: ({ reportsUnknownResume }) => reportsUnknownResume !== 'stderr',
  escapedSeparators: ({ escapesLineSeparators }) => escapesLineSeparators,
  toldVersion: ({ describesItself }) => describesItself,
};

describe.each(Object.keys(FLAVORS) as FakeVersion[])('the fake CLI as %s', (version) => {
  it('says the capabilities of that release', () => {
    const named = NAMES.filter((name) => TABLE[name]?.capability !== undefined);

    for (const name of named) {
      const isSaid = FLAVORS[version].capabilities.includes(TABLE[name]?.capability ?? '');
      expect(isSaid, name).toBe(hasFeature(version, undefined, name));
    }
  });

  it.each(Object.entries(PLAYED))('plays what the table says: %s', (name, isPlayed) => {
    expect(isPlayed(FLAVORS[version])).toBe(hasFeature(version, undefined, name as FeatureName));
  });
});
