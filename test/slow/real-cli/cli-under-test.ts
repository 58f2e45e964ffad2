import { execFileSync } from 'node:child_process';
import { findRealCli } from '../../../src/testing/real-cli.ts';

/** The release the dev dependency pins; `npm run test:cli-versions` runs the same files with older ones too. */
export interface CliUnderTest {
  readonly path: string;
  readonly version: string;
  /** True from this release on: the one word in which a test may speak of versions (WIRE §23 says which). */
  readonly since: (version: string) => boolean;
}

let found: Promise<CliUnderTest> | undefined;

/** The CLI named by `TROUPE_TEST_CLI`, else the installed one. Fails, never skips, when there is none. */
export function cliUnderTest(): Promise<CliUnderTest> {
  found ??= find();
  return found;
}

async function find(): Promise<CliUnderTest> {
  const path = process.env['TROUPE_TEST_CLI'] || (await findRealCli());
  if (path === undefined) throw new Error('The real claude CLI is not installed: run npm ci.');
  const version = execFileSync(path, ['--version'], { encoding: 'utf8' }).trim().split(' ')[0] ?? '';
  return { path, version, since: (wanted) => compare(version, wanted) >= 0 };
}

function compare(one: string, other: string): number {
  const [left, right] = [one, other].map((version) => version.split('.').map(Number));
  const index = left?.findIndex((part, at) => part !== right?.[at]) ?? -1;
  return index === -1 ? 0 : (left?.[index] ?? 0) - (right?.[index] ?? 0);
}
