import { describe, expect, it } from 'vitest';
import { ALL_MARKS, NO_MARKS, shareScans } from '../../src/transport/process-table.ts';

describe('sharing scans of the process table', () => {
  it('answers two hundred askers with one scan', async () => {
    const scanner = startScanner();
    const answers = Array.from({ length: 200 }, () => scanner.ask(ALL_MARKS));
    await scanner.begun(1);
    scanner.finish();
    expect(new Set(await Promise.all(answers))).toEqual(new Set([1]));
  });

  it('never answers with a scan that was running before the question', async () => {
    const scanner = startScanner();
    const first = scanner.ask(ALL_MARKS);
    await scanner.begun(1);
    const late = [scanner.ask(ALL_MARKS), scanner.ask(ALL_MARKS)];
    scanner.finish();
    expect(await first).toBe(1);
    await scanner.begun(2);
    scanner.finish();
    expect(await Promise.all(late)).toEqual([2, 2]);
  });

  it('reads the marks that the most curious of the askers wants, and no others', async () => {
    const scanner = startScanner();
    const plain = scanner.ask(NO_MARKS);
    await scanner.begun(1);
    const mixed = [scanner.ask(900), scanner.ask(700), scanner.ask(NO_MARKS)];
    scanner.finish();
    await plain;
    await scanner.begun(2);
    scanner.finish();
    await Promise.all(mixed);
    expect(scanner.marks).toEqual([NO_MARKS, 700]);
  });

  it('goes on after a scan that failed', async () => {
    let count = 0;
    const ask = shareScans(async () => {
      count += 1;
      if (count === 1) throw new Error('first');
      return count;
    });
    await expect(ask(ALL_MARKS)).rejects.toThrow('first');
    expect(await ask(ALL_MARKS)).toBe(2);
  });
});

function startScanner() {
  const marks: number[] = [];
  const watchers: (() => void)[] = [];
  let finish = (): void => {};
  const ask = shareScans((marksSince) => {
    const count = marks.push(marksSince);
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
