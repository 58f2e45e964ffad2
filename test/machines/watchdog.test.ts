import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { watchDeadlines } from '../../machines/watchdog/watchdog.context.ts';
import type { WatchClock } from '../../machines/watchdog/watchdog.events.ts';
import { type LIMITS, openWatchdog } from './watchdog-harness.ts';

const NEVER = Number.POSITIVE_INFINITY;

describe('the watchdog', () => {
  it('warns, then interrupts, after the last progress and not after the last word (P5)', () => {
    const { clock, tell, sign, told, notices, state } = openWatchdog();
    tell({ isOwed: true });
    clock.increment(30_000);
    sign('progress');
    clock.increment(50_000);
    sign('liveness');
    clock.increment(9_999);
    expect({ told: told(), state: state() }).toEqual({ told: [], state: 'watching' });
    clock.increment(1);
    expect(notices).toEqual([
      { type: 'watchdog.warned', clock: 'model', since: 30_000, silentMs: 60_000, interruptAt: 150_000 },
    ]);
    clock.increment(59_999);
    expect(state()).toBe('warned');
    clock.increment(1);
    expect(notices.at(-1)).toEqual({ type: 'watchdog.interrupted', clock: 'model', since: 30_000, silentMs: 120_000 });
    expect(state()).toBe('interrupting');
  });

  it('hears nothing of frames, and asks once for each limit that passed', () => {
    const { clock, tell, sign, asked, told } = openWatchdog();
    tell({ isOwed: true });
    for (let second = 0; second < 300; second += 1) {
      clock.increment(1_000);
      sign('progress');
    }
    expect(told()).toEqual([]);
    expect(asked()).toBeLessThanOrEqual(6);
  });

  it('rests while nothing is owed, and while a person is asked, however long (P5)', () => {
    const { clock, tell, told, state } = openWatchdog();
    clock.increment(1_000_000_000);
    tell({ isOwed: true });
    tell({ waits: { human: 1, tool: 1 } });
    clock.increment(1_000_000_000);
    expect({ told: told(), state: state() }).toEqual({ told: [], state: 'resting' });
    tell({ waits: { human: 0, tool: 0 } });
    clock.increment(59_999);
    expect(told()).toEqual([]);
    clock.increment(1);
    expect(told()).toEqual(['warned']);
  });

  it.each([
    ['tool', { tool: 1 }],
    ['hook', { hook: 1, tool: 1 }],
    ['mcp', { mcp: 1, tool: 1 }],
  ] as const)('counts the silence of a %s by a clock of its own, which any sign of life ends (P5)', (name, waits) => {
    const { clock, tell, sign, notices } = openWatchdog();
    tell({ isOwed: true, waits });
    clock.increment(500_000);
    sign('liveness');
    clock.increment(599_999);
    expect(notices).toEqual([]);
    clock.increment(1);
    expect(notices).toMatchObject([{ type: 'watchdog.warned', clock: name, since: 500_000 }]);
  });

  it('begins anew for the model when a tool has ended (R61 a)', () => {
    const { clock, tell, notices } = openWatchdog();
    tell({ isOwed: true, waits: { tool: 1 } });
    clock.increment(599_000);
    tell({ waits: { tool: 0 } });
    clock.increment(59_999);
    expect(notices).toEqual([]);
    clock.increment(1);
    expect(notices).toMatchObject([{ clock: 'model', since: 599_000 }]);
  });

  it('says that the work moved again, once, and how long it had not', () => {
    const { clock, tell, sign, notices, told } = openWatchdog();
    tell({ isOwed: true });
    clock.increment(75_000);
    sign('progress');
    tell();
    expect(notices.at(-1)).toEqual({ type: 'watchdog.recovered', clock: 'model', since: 0, silentMs: 75_000 });
    clock.increment(59_999);
    tell();
    expect(told()).toEqual(['warned', 'recovered']);
  });

  it('says that it is over when the turn has ended, or a person is asked, after a warning', () => {
    for (const change of [{ isOwed: false }, { waits: { human: 1 } }]) {
      const { clock, tell, told } = openWatchdog();
      tell({ isOwed: true });
      clock.increment(60_000);
      tell(change);
      expect(told()).toEqual(['warned', 'recovered']);
    }
  });

  it('interrupts one silence once, and the next one again', () => {
    const { clock, tell, sign, told, state } = openWatchdog();
    tell({ isOwed: true });
    clock.increment(120_000);
    clock.increment(600_000);
    tell({ background: 1 });
    expect(told()).toEqual(['warned', 'interrupted']);
    sign('progress');
    tell();
    expect(state()).toBe('watching');
    clock.increment(120_000);
    expect(told()).toEqual(['warned', 'interrupted', 'warned', 'interrupted']);
  });

  it.each([
    ['warns and never interrupts', { warnMs: 60_000, interruptMs: NEVER }, ['warned']],
    ['interrupts without a warning', { warnMs: NEVER, interruptMs: 60_000 }, ['interrupted']],
    ['interrupts at once where both are due', { warnMs: 60_000, interruptMs: 60_000 }, ['interrupted']],
    ['does nothing', { warnMs: NEVER, interruptMs: NEVER }, []],
  ])('%s, when the limits say so', (_, model, expected) => {
    const { clock, tell, told } = openWatchdog({ model });
    tell({ isOwed: true });
    clock.increment(10_000_000);
    expect(told()).toEqual(expected);
  });

  it('tells the moment of each step before it is taken', () => {
    const { actor, clock, tell, told } = openWatchdog();
    const steps = () => watchDeadlines(actor.getSnapshot().context).map(({ step, at }) => [step, at]);
    expect(steps()).toEqual([]);
    tell({ isOwed: true });
    expect(steps()).toEqual([
      ['warn', 60_000],
      ['interrupt', 120_000],
    ]);
    clock.increment(60_000);
    expect({ told: told(), steps: steps() }).toEqual({ told: ['warned'], steps: [['interrupt', 120_000]] });
    clock.increment(60_000);
    expect({ told: told(), steps: steps() }).toEqual({ told: ['warned', 'interrupted'], steps: [] });
  });

  it('does under any order of things what forty lines say that count every millisecond of silence (P5)', () => {
    const happening = fc.record({
      afterMs: fc.integer({ min: 0, max: 100 }),
      what: fc.constantFrom('owed', 'settled', 'progress', 'liveness', 'tool', 'hook', 'mcp', 'human', 'background'),
    });
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 40 }), (script) => {
        const limits = { warnMs: 60, interruptMs: 120 };
        const tool = { warnMs: 90, interruptMs: 150 };
        const all = { model: limits, tool, hook: tool, mcp: tool, background: { warnMs: 200, interruptMs: 300 } };
        expect(playMachine(script, all)).toEqual(playReference(script, all));
      }),
    );
  });
});

type Script = readonly { readonly afterMs: number; readonly what: string }[];
type Limits = typeof LIMITS;

/** What happens, as a change of what is true; a wait opens and closes by turns. */
function changed(now: Reference['now'], what: string): Reference['now'] {
  if (what === 'owed') return { ...now, isOwed: true };
  if (what === 'settled') return { ...now, isOwed: false };
  if (what === 'background') return { ...now, background: now.background === 0 ? 1 : 0 };
  if (what === 'progress' || what === 'liveness') return now;
  const kind = what as keyof typeof now.waits;
  return { ...now, waits: { ...now.waits, [kind]: now.waits[kind] === 0 ? 1 : 0 } };
}

function playMachine(script: Script, limits: Limits): string[] {
  const { clock, tell, sign, notices } = openWatchdog(limits);
  let now = START;
  for (const { afterMs, what } of script) {
    clock.increment(afterMs);
    now = changed(now, what);
    if (what === 'progress' || what === 'liveness') sign(what);
    tell(now);
  }
  clock.increment(1_000);
  return notices.map(({ type, clock: name, since, silentMs }) => `${type} ${name} ${since}+${silentMs}`);
}

interface Reference {
  readonly now: {
    isOwed: boolean;
    background: number;
    waits: { human: number; hook: number; mcp: number; tool: number };
  };
}

const START: Reference['now'] = { isOwed: false, background: 0, waits: { human: 0, hook: 0, mcp: 0, tool: 0 } };

/** One millisecond after the other: no timer, no state, no question. */
function playReference(script: Script, limits: Limits): string[] {
  const told: string[] = [];
  let now = START;
  let name: WatchClock | undefined;
  let since = 0;
  let step: 'none' | 'warned' | 'interrupted' = 'none';
  let at = 0;
  const tell = (type: string) => told.push(`watchdog.${type} ${name} ${since}+${at - since}`);
  const begin = (next: WatchClock | undefined) => {
    if (step === 'warned') tell('recovered');
    [name, since, step] = [next, at, 'none'];
  };
  const judge = () => {
    if (name === undefined || step === 'interrupted') return;
    const { warnMs, interruptMs } = limits[name];
    if (at - since >= interruptMs) {
      tell('interrupted');
      step = 'interrupted';
    } else if (at - since >= warnMs && step === 'none') {
      tell('warned');
      step = 'warned';
    }
  };
  const pass = (ms: number) => {
    for (const end = at + ms; at < end; judge()) at += 1;
  };
  for (const { afterMs, what } of script) {
    pass(afterMs);
    now = changed(now, what);
    const next = running(now);
    const isSign = what === 'progress' || (what === 'liveness' && name !== 'model');
    // A sign at the very moment the silence began is none that ends it.
    if (next !== name || (isSign && at > since)) begin(next);
  }
  pass(1_000);
  return told;
}

function running({ isOwed, background, waits }: Reference['now']): WatchClock | undefined {
  if (waits.human > 0) return undefined;
  if (!isOwed) return background > 0 ? 'background' : undefined;
  return (['mcp', 'hook', 'tool'] as const).find((kind) => waits[kind] > 0) ?? 'model';
}
