import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createMachine } from 'xstate';
import { EXAMPLE_CHARTS } from '../../docs/examples/charts.ts';
import * as machines from '../../machines/index.ts';
import { diagramDocuments, withCharts } from '../../scripts/documents.mjs';

const ROOT = new URL('../../', import.meta.url);

describe('the statecharts in docs/machines', () => {
  it.each(Object.entries(diagramDocuments(machines)))(
    '%s shows the machine as it is (else: npm run docs)',
    (path, text) => {
      expect(readFileSync(new URL(path, ROOT), 'utf8'), 'stale: run npm run docs').toBe(text);
    },
  );

  it('are the drawn ones and no others', () => {
    const present = readdirSync(new URL('docs/machines/', ROOT)).map((name) => `docs/machines/${name}`);

    expect(present.toSorted()).toEqual(Object.keys(diagramDocuments(machines)).toSorted());
  });
});

describe('the page about machines of your own', () => {
  const page = readFileSync(new URL('docs/compose.md', ROOT), 'utf8');

  it('shows each example as it is (else: npm run docs)', () => {
    expect(withCharts(page, EXAMPLE_CHARTS), 'stale: run npm run docs').toBe(page);
    for (const name of Object.keys(EXAMPLE_CHARTS)) expect(page).toContain(`<!-- chart: ${name} -->`);
  });

  it('names only examples that can be drawn', () => {
    expect(() => withCharts('<!-- chart: ghost -->\n```mermaid\n```', EXAMPLE_CHARTS)).toThrow(/ghost/);
  });
});

describe('toMermaid', () => {
  it('draws nested states, timers, eventless ways, outcomes, ends, and what is heard anywhere', () => {
    const machine = createMachine({
      id: 'door',
      initial: 'shut',
      on: { 'door.break': '.gone' },
      states: {
        shut: { on: { 'door.open': { target: 'open', guard: 'isUnlocked' } } },
        open: {
          initial: 'half-way',
          states: { 'half-way': { always: 'wide' }, wide: { after: { breeze: '#door.shut' } } },
        },
        held: { initial: 'firmly', states: { firmly: {} } },
        gone: { type: 'final' },
      },
    });

    expect(machines.toMermaid(machine).split('\n')).toEqual([
      'stateDiagram-v2',
      '  [*] --> door_shut',
      '  state "shut" as door_shut',
      '  state "open" as door_open {',
      '    [*] --> door_open_half_way',
      '    state "half-way" as door_open_half_way',
      '    state "wide" as door_open_wide',
      '  }',
      '  state "held" as door_held {',
      '    [*] --> door_held_firmly',
      '    state "firmly" as door_held_firmly',
      '  }',
      '  state "gone" as door_gone',
      '  door_gone --> [*]',
      '  anywhere --> door_gone : door.break',
      '  door_shut --> door_open : door.open [isUnlocked]',
      '  door_open_half_way --> door_open_wide : always',
      '  door_open_wide --> door_shut : after breeze',
      '',
    ]);
  });

  it('parts regions that are active at the same time', () => {
    const machine = createMachine({
      id: 'door',
      type: 'parallel',
      states: { lock: { initial: 'open', states: { open: {} } }, bell: {} },
    });

    expect(machines.toMermaid(machine).split('\n')).toEqual([
      'stateDiagram-v2',
      '  state "lock" as door_lock {',
      '    [*] --> door_lock_open',
      '    state "open" as door_lock_open',
      '  }',
      '  --',
      '  state "bell" as door_bell',
      '',
    ]);
  });

  it.each(Object.entries({ ...diagramDocuments(machines), ...EXAMPLE_CHARTS }))(
    'closes every brace and uses only legal ids and labels: %s',
    (_, text) => {
      const lines = text.trimEnd().split('\n');

      expect(lines.filter((line) => line.endsWith('{'))).toHaveLength(
        lines.filter((line) => line.trim() === '}').length,
      );
      for (const line of lines.slice(1)) expect(line).toMatch(LEGAL_LINE);
    },
  );
});

/** A Mermaid label ends at a colon or semicolon, and an id is one word. */
const LEGAL_LINE = /^ +(--|\[\*\] --> \w+|\w+ --> \[\*\]|state "[\w-]+" as \w+( \{)?|\}|\w+ --> \w+ : [^:;{}#"]+)$/;
