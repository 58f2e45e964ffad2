import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Metric, Registry } from 'prom-client';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { createSupervisor } from '../../src/index.ts';
import { measureFleet } from '../../src/telemetry/fleet-metrics.ts';
import { memoryFleet } from '../supervision/memory-cli.ts';
import { firstCells, ROOT, readPage } from './markdown-page.ts';

const Described = z.object({ name: z.string(), labelNames: z.array(z.string()), buckets: z.unknown().optional() });
const Dashboard = z.object({
  panels: z.array(
    z.object({
      id: z.number(),
      title: z.string(),
      gridPos: z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }),
      targets: z.array(z.object({ expr: z.string(), legendFormat: z.string() })).min(1),
    }),
  ),
});
const Alerts = z.object({
  groups: z.array(
    z.object({
      rules: z.array(z.object({ alert: z.string(), expr: z.string(), annotations: z.object({ summary: z.string() }) })),
    }),
  ),
});

const registering = vi.spyOn(Registry.prototype, 'registerMetric');
const supervisor = createSupervisor({ spawn: memoryFleet().open, reap: 'off' });
const metrics = measureFleet(supervisor);
afterAll(async () => {
  metrics.close();
  await supervisor.shutdown();
});

/** What each exported series is called, with the labels that it can have. */
const series = new Map<string, readonly string[]>(
  registering.mock.calls.flatMap(([metric]: [Metric]): (readonly [string, readonly string[]])[] => {
    const { name, labelNames, buckets } = Described.parse(metric);
    if (buckets === undefined) return [[name, labelNames]];
    return [
      [`${name}_bucket`, [...labelNames, 'le']],
      [`${name}_sum`, labelNames],
      [`${name}_count`, labelNames],
    ];
  }),
);
registering.mockRestore();

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const { panels } = Dashboard.parse(JSON.parse(read('docs/grafana/dashboard.json')));
const alerts = Alerts.parse(parse(read('docs/grafana/alerts.yaml'))).groups.flatMap(({ rules }) => rules);

describe('the dashboard for Grafana', () => {
  it.each(panels.map((panel) => [panel.title, panel] as const))(
    'asks in "%s" for what is exported',
    (_, { targets }) => {
      for (const { expr, legendFormat } of targets) {
        expect(complaintsAbout(expr)).toEqual([]);
        const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label ?? '');
        expect(shown.filter((label) => !labelsIn(expr).includes(label))).toEqual([]);
      }
    },
  );

  it('shows every metric there is', () => {
    const asked = panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => namesIn(expr)));
    const families = (names: Iterable<string>) =>
      [...new Set([...names].map((name) => name.replace(/_(bucket|sum|count)$/, '')))].sort();
    expect(families(asked)).toEqual(families(series.keys()));
  });

  it('has panels with ids of their own that do not lie on each other', () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    expect(new Set(panels.map(({ gridPos: { x, y } }) => `${x} ${y}`)).size).toBe(panels.length);
    expect(panels.every(({ gridPos: { x, y, w, h } }) => x % w === 0 && y % h === 0)).toBe(true);
  });
});

describe('the alerts for Prometheus', () => {
  it.each(alerts.map((rule) => [rule.alert, rule] as const))(
    '%s asks for what is exported',
    (_, { expr, annotations }) => {
      expect(complaintsAbout(expr)).toEqual([]);
      const shown = [...annotations.summary.matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label ?? '');
      expect(shown.filter((label) => !labelsIn(expr).includes(label))).toEqual([]);
    },
  );

  it('are those of docs/metrics.md', () => {
    const told = firstCells(readPage('docs/metrics.md')).filter((cell) => /^Troupe[A-Z]\w+$/.test(cell));
    expect(told).toEqual(alerts.map(({ alert }) => alert));
  });
});

describe('a question to Prometheus', () => {
  it.each([
    ['sum(troupe_nothing)', 'troupe_nothing'],
    ['sum by (colour) (troupe_sessions)', 'colour'],
    ['troupe_sessions{colour="red"}', 'colour'],
    ['rate(troupe_turn_seconds[5m])', 'troupe_turn_seconds'],
    ['summ(troupe_sessions)', 'summ'],
  ])('%s would be seen', (expr, complaint) => {
    expect(complaintsAbout(expr)).toEqual([complaint]);
  });
});

describe('docs/metrics.md', () => {
  it('gives each metric the labels that it has', () => {
    const rows = readPage('docs/metrics.md')
      .text.split('\n')
      .filter((line) => /^\| `(troupe|process)_/.test(line));
    const told = (cell = '') => [...cell.matchAll(/`(\w+)`/g)].map(([, word]) => word ?? '');
    expect(rows.length).toBeGreaterThan(10);
    for (const row of rows) {
      const [, names, labels] = row.split('|');
      const known = told(names).flatMap((name) => series.get(name) ?? series.get(`${name}_count`) ?? ['?']);
      expect([...new Set(known)].sort(), row).toEqual(told(labels).sort());
    }
  });
});

const FUNCTIONS = ['sum', 'by', 'rate', 'increase', 'histogram_quantile', 'and'];

/** The names, labels and functions that nobody knows. */
function complaintsAbout(expr: string): string[] {
  const names = namesIn(expr);
  const labels = names.flatMap((name) => series.get(name) ?? []);
  const isKnown = names.every((name) => series.has(name));
  const functions = [...expr.matchAll(/\b([a-z_]+) *\(/g)].map(([, name]) => name ?? '');
  const selected = [
    ...expr.matchAll(/\{(\w+)=/g),
    ...[...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = '']) => [...list.matchAll(/(\w+)/g)]),
  ];
  return [
    ...names.filter((name) => !series.has(name)),
    ...functions.filter((name) => !FUNCTIONS.includes(name)),
    ...(isKnown ? selected.map(([, label]) => label ?? '').filter((label) => !labels.includes(label)) : []),
  ];
}

function namesIn(expr: string): string[] {
  return [...expr.matchAll(/\b(?:troupe|process)_\w+/g)].map(([name]) => name);
}

/** The labels that the answer still has. */
function labelsIn(expr: string): string[] {
  const kept = /by \(([^)]*)\)/.exec(expr)?.[1];
  if (kept !== undefined) return kept.split(', ');
  return expr.startsWith('sum(') ? [] : namesIn(expr).flatMap((name) => series.get(name) ?? []);
}
