import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { baselineFileFor, baselineFolder, readBaseline } from '../../../src/testing/drift/baseline-file.ts';
import { kindOf } from '../../../src/testing/drift/line-kind.ts';
import { SCENE_NAMES } from '../../../src/testing/drift/observe.ts';
import { SCENES } from '../../../src/testing/drift/scenes.ts';

const FILES = readdirSync(baselineFolder()).map((name) => join(baselineFolder(), name));
const LEAST_RUNS = 5;

describe('the committed baselines', () => {
  it('are there for every release that the tests run on', () => {
    const manifest = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
    const pinned = readdirSync(new URL('../../cli-versions', import.meta.url));
    const releases = [...pinned, manifest.devDependencies['@anthropic-ai/claude-code']];

    expect(FILES.map((file) => readBaseline(file).cli).toSorted()).toEqual(releases.toSorted());
  });

  it.each(FILES)('%s has every scene, from several runs, and every field of each line', (file) => {
    const { runs, scenes } = readBaseline(file);

    expect(runs).toBeGreaterThanOrEqual(LEAST_RUNS);
    expect(Object.keys(scenes)).toEqual(SCENE_NAMES);
    const kinds = Object.values(scenes).flatMap((scene) => Object.entries(scene.kinds));
    expect(
      kinds.filter(([kind, { fields }]) => !kind.startsWith('stderr/') && Object.keys(fields).length === 0),
    ).toEqual([]);
  });

  it.each(FILES)('%s holds types and words only, no path and no id of the machine that made it', (file) => {
    expect(readFileSync(file, 'utf8')).not.toMatch(/\/(home|tmp|root)\/|[0-9a-f]{8}-[0-9a-f]{4}-|troupe-cli-/);
  });
});

describe('docs/drift.md', () => {
  it('has a row for each scene', () => {
    const page = readFileSync(new URL('../../../docs/drift.md', import.meta.url), 'utf8');
    const rows = [...page.matchAll(/^\| `([\w-]+)` \| (.+) \|$/gm)].map(([, name, about]) => [name, about]);

    expect(rows).toEqual(expect.arrayContaining(SCENES.map(({ name, about }) => [name, about])));
  });
});

describe('the baseline of a release', () => {
  const folder = baselineFolder();

  it.each([
    ['2.1.332', '2.1.332.json'],
    ['2.1.333', '2.1.332.json'],
    ['2.1.200', '2.1.197.json'],
    ['10.0.0', '2.1.332.json'],
    ['1.0.60', '2.1.197.json'],
  ])('%s is %s: its own, else of the newest before it, else of the oldest', (version, file) => {
    expect(baselineFileFor(version)).toBe(join(folder, file));
  });
});

describe('the kind of a line', () => {
  const nobody = () => undefined;

  it.each([
    [{ type: 'system', subtype: 'init' }, 'system/init'],
    [{ type: 'system', subtype: 'status', status: null, permissionMode: 'plan' }, 'system/status/permissionMode'],
    [{ type: 'system', subtype: 'session_state_changed', state: 'idle' }, 'system/session_state_changed/idle'],
    [{ type: 'assistant', message: { content: [{ type: 'text' }, { type: 'text' }] } }, 'assistant/text'],
    [{ type: 'user', message: { content: 'words' } }, 'user/plain'],
    [{ type: 'result', subtype: 'success', is_error: true }, 'result/success/error'],
    [
      { type: 'control_request', request: { subtype: 'mcp_message', message: { method: 'tools/list' } } },
      'control_request/mcp_message/tools/list',
    ],
    [{ type: 'control_response', response: { subtype: 'error', request_id: '1' } }, 'control_response/of-nobody/error'],
    [{ type: 'never_seen', subtype: 'before' }, 'never_seen/before'],
  ])('%j is %s', (line, kind) => {
    expect(kindOf(line, nobody)).toBe(kind);
  });
});
