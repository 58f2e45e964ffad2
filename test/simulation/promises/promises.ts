import type { World } from '../world.ts';
import { bounded } from './bounded.ts';
import { decisionsAreExact } from './decisions-are-exact.ts';
import { groupsStandTogether } from './groups-stand-together.ts';
import { noOrphan } from './no-orphan.ts';
import { nobodyHurtsAnother } from './nobody-hurts-another.ts';
import { nothingHangs } from './nothing-hangs.ts';
import { nothingIsDropped } from './nothing-is-dropped.ts';
import { promptsRunOnce } from './prompts-run-once.ts';
import { restartMeansResume } from './restart-means-resume.ts';
import { theLogIsTheTruth } from './the-log-is-the-truth.ts';
import { turnsAreExact } from './turns-are-exact.ts';

/** `always`: after every step. `at-rest`: nothing fails any more and everybody had time. `at-the-end`: after the shutdown. */
export type When = 'always' | 'at-rest' | 'at-the-end';

/** What must be so, whatever happened; told is what is not. */
export type Check = (world: World, when: When) => string[];

export type PromiseName = 'P1' | 'P2' | 'P3' | 'P4' | 'P5' | 'P6' | 'P7' | 'P8' | 'P8 of groups' | 'P9' | 'P10';

export const PROMISES: readonly { readonly name: PromiseName; readonly check: Check }[] = [
  { name: 'P1', check: noOrphan },
  { name: 'P2', check: promptsRunOnce },
  { name: 'P3', check: turnsAreExact },
  { name: 'P4', check: decisionsAreExact },
  { name: 'P5', check: nothingHangs },
  { name: 'P6', check: nothingIsDropped },
  { name: 'P7', check: theLogIsTheTruth },
  { name: 'P8', check: restartMeansResume },
  { name: 'P8 of groups', check: groupsStandTogether },
  { name: 'P9', check: bounded },
  { name: 'P10', check: nobodyHurtsAnother },
];
