import { describe, expect, it } from 'vitest';
import { shareScans } from '../../src/transport/process-table.ts';

describe('sharing scans of the process table', () => {
  it('answers two hundred askers with one scan', async () => {
    const scanner = startScanner();
    const answers = Array.from({ length: 200 }, () => scanner.ask(true));
    await scanner.begun(1);
    scanner.finish();
    expect(new Set(await Promise.all(answers))).toEqual(new Set([1]));
  });

  it('never answers with a scan that was running before the question', async () => {
    const scanner = startScanner();
    const first = scanner.ask(true);
    await scanner.begun(1);
    const late = [scanner.ask(true), scanner.ask(true)];
    scanner.finish();
    expect(await first).toBe(1);
    await scanner.begun(2);
    scanner.finish();
    expect(await Promise.all(late)).toEqual([2, 2]);
  });

  it('reads marks when one of the askers wants them, and only then', async () => {
    const scanner = startScanner();
    const plain = scanner.ask(false);
    await scanner.begun(1);
    const mixed = [scanner.ask(false), scanner.ask(true), scanner.ask(false)];
    scanner.finish();
    await plain;
    await scanner.begun(2);
    scanner.finish();
    await Promise.all(mixed);
    expect(scanner.marks).toEqual([false, true]);
  });

  it('goes on after a scan that failed', async () => {
    let count = 0;
    const ask = shareScans(async () => {
      count += 1;
      if (count === 1) throw new Error('first');
      return count;
    });
    await expect(ask(true)).rejects.toThrow('first');
    expect(await ask(true)).toBe(2);
  });
});

function startScanner() {
  const marks: boolean[] = [];
  const watchers: (() => void)[] = [];
  let finish = (): void => {};
  const ask = shareScans((withMarks) => {
    const count = marks.push(withMarks);
    for (const watcher of watchers.splice(0)) watcher();
    return new Promise<number>((resolve) => {
      finish = () => resolve(count);
    });
  });
  const begun = async (count: number): Promise<void> => {
    while (marks.length < count) await new Promise<void>((resolve) => watchers.push(resolve));
  };
  return { ask, begun, marks, finish: () => finish() };
}
