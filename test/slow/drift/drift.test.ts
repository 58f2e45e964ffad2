import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { baselineFileFor } from '../../../src/testing/drift/baseline-file.ts';
import { reportText } from '../../../src/testing/drift/drift-report.ts';
import { driftCheck } from '../../../src/testing/drift-check.ts';
import { endStragglers, troupe } from '../cli/troupe-process.ts';
import { cliUnderTest } from '../real-cli/cli-under-test.ts';

/** Fifteen short conversations with the real CLI, three at a time, on a machine that may be busy. */
const SCRIPT_MS = 240_000;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'troupe-drift-test-'));
});

afterEach(() => {
  endStragglers(folder);
  rmSync(folder, { recursive: true, force: true });
});

describe('troupe drift', () => {
  it('says nothing about a release that does what it always did (WIRE §26)', { timeout: SCRIPT_MS }, async () => {
    const { path } = await cliUnderTest();

    const { code, stdout, report } = await drift('--cli', path);

    expect(report, stdout).toMatchObject({ findings: [], missingAnchors: [] });
    expect(report?.scenes.length).toBeGreaterThan(10);
    expect(code).toBe(0);
  });

  it('runs beside another check without ending its processes (P1)', { timeout: SCRIPT_MS }, async () => {
    const { path } = await cliUnderTest();

    const checks = [1, 2, 3].map(() => drift('--cli', path, '--only', 'handshake'));

    expect((await Promise.all(checks)).map(({ code, stdout }) => (code === 0 ? 0 : stdout))).toEqual([0, 0, 0]);
  });

  it('is a function, too', { timeout: SCRIPT_MS }, async () => {
    const { path, version } = await cliUnderTest();

    const report = await driftCheck({ cli: path, only: ['handshake'] });

    expect(report).toMatchObject({ cli: { path, version }, scenes: ['handshake'], findings: [], missingAnchors: [] });
    expect(reportText(report)).toContain('in 1 scene\nNo drift.');
    await expect(driftCheck({ cli: path, only: ['nothing'] })).rejects.toMatchObject({ code: 'INVALID_OPTIONS' });
  });

  it('reports exactly what differs from its baseline, with exit code 1', { timeout: SCRIPT_MS }, async () => {
    const { path, version } = await cliUnderTest();
    const baseline = join(folder, 'doctored.json');
    writeFileSync(baseline, JSON.stringify(doctored(baselineFileFor(version) ?? '')));

    const { code, report } = await drift('--cli', path, '--baseline', baseline, '--only', 'error-529');

    const scene = 'error-529';
    expect(report?.findings).toEqual([
      {
        change: 'changed',
        what: 'type',
        scene,
        message: 'system/api_retry',
        field: 'attempt',
        was: 'string',
        is: 'number',
      },
      { change: 'missing', what: 'field', scene, message: 'system/api_retry', field: 'planted', was: 'string' },
      { change: 'new', what: 'field', scene, message: 'system/api_retry', field: 'max_retries', is: 'number' },
      { change: 'missing', what: 'message', scene, message: 'system/planted' },
      { change: 'new', what: 'message', scene, message: 'assistant/text' },
      {
        change: 'changed',
        what: 'order',
        scene,
        message: 'system/init',
        was: expect.stringContaining('after '),
        is: expect.stringContaining('before '),
      },
    ]);
    expect(code).toBe(1);
  });

  it.each([
    ['a program that is no claude', '#!/bin/sh\necho 1.0.0 of something else\n', 'NO_CLI'],
    ['a program that fails', '#!/bin/sh\nexit 3\n', 'exits with code 3'],
    ['a claude that says nothing on its pipe', SILENT, 'no anchor "initialize answered"'],
  ])('exits with 2 for %s', { timeout: SCRIPT_MS }, async (_what, program, words) => {
    const path = join(folder, 'claude');
    writeFileSync(path, program);
    chmodSync(path, 0o755);

    const { code, stdout, stderr } = await troupe(['drift', '--cli', path, '--only', 'handshake', '--timeout', '5'], {
      env: { PATH: process.env['PATH'] ?? '', TMPDIR: folder },
    }).finished;

    expect(`${stdout}${stderr}`).toContain(words);
    expect(code).toBe(2);
  });
});

/** Of the release under test, so that only the pipe is wrong. */
const SILENT = `#!/bin/sh
if [ "$1" = --version ]; then echo '2.1.332 (Claude Code)'; else cat >/dev/null; fi
`;

interface Report {
  readonly scenes: readonly string[];
  readonly findings: readonly unknown[];
  readonly missingAnchors: readonly unknown[];
}

async function drift(...args: string[]): Promise<{ code: number | null; stdout: string; report: Report | undefined }> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder, TMPDIR: folder };
  const { code, stdout, stderr } = await troupe(['drift', '--json', ...args], { env }).finished;
  return { code, stdout: `${stdout}${stderr}`, report: stdout === '' ? undefined : JSON.parse(stdout) };
}

/** Another baseline: in one scene a type, fields, kinds and the place of a kind were changed. */
function doctored(file: string): unknown {
  const baseline = JSON.parse(readFileSync(file, 'utf8'));
  const scene = baseline.scenes['error-529'];
  const first = baseline.scenes['error-429'].kinds['system/api_retry'];
  const { max_retries: _left, ...fields } = scene.kinds['system/api_retry'].fields ?? first.fields;
  const { 'assistant/text': _text, 'system/init': opened, ...kinds } = scene.kinds;
  const retry = { ...kinds['system/api_retry'], fields: { ...fields, attempt: 'string', planted: 'string' } };
  scene.kinds = {
    ...kinds,
    'system/api_retry': retry,
    'system/planted': { inRuns: baseline.runs, times: 1, fields: {} },
    'system/init': opened,
  };
  return baseline;
}
