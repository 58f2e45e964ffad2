import { rmSync, symlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { change, codeOf, openInline, refusal, seqsOf, temporaryFolder } from './sqlite-harness.ts';

describe('one writer', () => {
  it('refuses the second as STORE_HELD and says who holds it: process, host, since', async () => {
    const path = join(temporaryFolder(), 'troupe.db');
    const before = Date.now();
    await openInline(path);

    const { code, message, details } = await refusal(openInline(path));
    expect(code).toBe('STORE_HELD');
    expect(message).toContain(`process ${process.pid} on ${hostname()}`);
    expect(details['holder']).toEqual({ pid: process.pid, host: hostname(), since: expect.any(Number) });
    const { since } = details['holder'] as { since: number };
    expect(since >= before && since <= Date.now()).toBe(true);
  });

  it('knows the file by any of its names', async () => {
    const folder = temporaryFolder();
    await openInline(join(folder, 'troupe.db'));
    symlinkSync(join(folder, 'troupe.db'), join(folder, 'other.db'));
    symlinkSync(folder, join(folder, 'folder'));

    expect(await codeOf(openInline(join(folder, 'other.db')))).toBe('STORE_HELD');
    expect(await codeOf(openInline(join(folder, 'folder', 'troupe.db')))).toBe('STORE_HELD');
  });

  it('does not disturb the first by being refused', async () => {
    const path = join(temporaryFolder(), 'troupe.db');
    const first = await openInline(path);
    await first.append(change('a', 1, 1));

    await refusal(openInline(path));
    await refusal(openInline(path));
    await first.append(change('a', 2, 2));
    expect(await codeOf(openInline(path))).toBe('STORE_HELD');
    expect(await seqsOf(first, 'a')).toEqual([1, 2]);
  });

  it('is followed by the next as soon as it has let go', async () => {
    const path = join(temporaryFolder(), 'troupe.db');
    const first = await openInline(path);
    await first.append(change('a', 1, 1));
    await first.close();

    const second = await openInline(path);
    await second.append(change('a', 2, 2));
    expect(await seqsOf(second, 'a')).toEqual([1, 2]);
  });
});

describe('the fence', () => {
  it('refuses a writer that was replaced, inside the write, with who replaced it; nothing of it is kept', async () => {
    const path = join(temporaryFolder(), 'troupe.db');
    const told: string[] = [];
    const first = await openInline(path, { onHealth: ({ state }) => told.push(state) });
    await first.append(change('a', 1, 1));
    // What a network disk may do: the lock no longer keeps the second away.
    rmSync(`${path}-lock`);
    const second = await openInline(path);
    await second.append(change('a', 2, 2));

    const { code, details } = await refusal(first.append(change('b', 1, 1)));
    expect(code).toBe('STORE_TAKEN_OVER');
    expect(details['holder']).toMatchObject({ pid: process.pid, host: hostname() });
    expect(await seqsOf(second, 'b')).toEqual([]);
    expect(told).toEqual(['lost']);
  });

  it('is for ever: who was replaced prunes nothing and writes nothing, and says so', async () => {
    const path = join(temporaryFolder(), 'troupe.db');
    const first = await openInline(path);
    await first.append(change('a', 1, 5));
    rmSync(`${path}-lock`);
    const second = await openInline(path);

    expect(await codeOf(first.prune({ maxEventsPerSession: 1 }))).toBe('STORE_TAKEN_OVER');
    expect(first.health().state).toBe('lost');
    expect(await codeOf(first.append(change('a', 6, 6)))).toBe('STORE_TAKEN_OVER');
    expect(await seqsOf(second, 'a')).toEqual([1, 2, 3, 4, 5]);
  });
});
