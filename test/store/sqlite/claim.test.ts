import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Claimant, ClaimWatch, claim } from '../../../src/store/sqlite/claim.ts';
import { codeOf, driver, openInline, refusal, temporaryFolder } from './sqlite-harness.ts';

const FAR = { waitMs: 60_000 };

describe('a store that is asked for while somebody writes', () => {
  it('tells its writer who waits and how long, and is theirs as soon as that one has let go', async () => {
    const path = join(temporaryFolder(), 'troupe.db');
    const claimed = claimants();
    const first = await openInline(path, { onClaimed: claimed.hear });

    const second = openInline(path, { takeover: FAR });
    expect(await claimed.next).toEqual({ pid: process.pid, host: hostname(), since: expect.any(Number), ...FAR });
    await first.close();

    expect((await second).health().state).toBe('open');
    expect(await codeOf(openInline(path))).toBe('STORE_HELD');
  });

  it('is refused at once to who does not ask, and without a word to the writer', async () => {
    const path = join(temporaryFolder(), 'troupe.db');
    const claimed = claimants();
    await openInline(path, { onClaimed: claimed.hear });

    expect(await codeOf(openInline(path))).toBe('STORE_HELD');
    await looks();
    expect(claimed.all).toEqual([]);
  });

  it('is refused when the wait is over, with how long it was and who holds it; nobody asks any more then', async () => {
    const path = join(temporaryFolder(), 'troupe.db');
    const first = await openInline(path);

    const { code, message, details } = await refusal(openInline(path, { takeover: { waitMs: 300 } }));
    expect(code).toBe('STORE_HELD');
    expect(message).toContain('has not within 300 ms');
    expect(details).toMatchObject({ waitedMs: 300, holder: { pid: process.pid } });
    expect(new ClaimWatch(driver, path).look()).toBeUndefined();
    await first.close();
  });

  it('is given to the next in line: each asks whoever has it then', async () => {
    const path = join(temporaryFolder(), 'troupe.db');
    const order: string[] = [];
    const give = (name: string) => async () => {
      if (order.includes(name)) return;
      order.push(name);
      await stores.get(name)?.close();
    };
    const stores = new Map([['first', await openInline(path, { onClaimed: give('first') })]]);
    const next = ['second', 'third'].map(async (name) => {
      stores.set(name, await openInline(path, { takeover: FAR, onClaimed: give(name) }));
    });
    await Promise.all(next);

    expect(order[0]).toBe('first');
    expect(order).toHaveLength(2);
    expect([...stores.values()].map((store) => store.health().state).sort()).toEqual(['closed', 'closed', 'open']);
  });

  it('is opened at once where nobody has it, also with a wish to take it over', async () => {
    const path = join(temporaryFolder(), 'troupe.db');
    await (await openInline(path, { takeover: FAR })).close();
    await openInline(path, { takeover: FAR });
  });
});

describe('a claim', () => {
  it('is seen while it stands, by whoever it is made, and not before or after', () => {
    const path = join(temporaryFolder(), 'troupe.db');
    const watch = new ClaimWatch(driver, path);
    expect(watch.look()).toBeUndefined();
    const standing = claim(driver, path, 1_000, Number.POSITIVE_INFINITY);
    const seen: Claimant = { pid: process.pid, host: hostname(), since: 1_000, waitMs: Number.POSITIVE_INFINITY };
    expect([watch.look(), watch.look()]).toEqual([seen, seen]);
    expect(claim(driver, path, 2_000, 1)).toBeUndefined();
    standing?.release();
    expect(watch.look()).toBeUndefined();
    const again = claim(driver, path, 3_000, 1);
    expect(watch.look()?.since).toBe(3_000);
    again?.release();
    watch.close();
  });
});

function claimants() {
  const all: Claimant[] = [];
  let tell: (claimant: Claimant) => void = () => {};
  const next = new Promise<Claimant>((resolve) => {
    tell = resolve;
  });
  return {
    all,
    next,
    hear: (claimant: Claimant) => {
      all.push(claimant);
      tell(claimant);
    },
  };
}

/** Longer than from one look to the next. */
async function looks(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 400));
}
