import { describe, expect, it } from 'vitest';
import type { PeerRow } from './peer/behaviour.ts';
import { PEER_AREAS } from './peer-behaviours.ts';
import { faultOf, faultOfReason } from './row.ts';

const LEAST_SHOWN = 0.9;

describe.each(PEER_AREAS.map((area) => [area.area, area] as const))(
  '%s, as the Python SDK tests it',
  (_, { least, rows }) => {
    it(`has at least ${least} behaviours`, () => {
      expect(Object.keys(rows).length).toBeGreaterThanOrEqual(least);
    });

    it.each(Object.entries(rows))('%s: shown by a test, or says why not', (_behaviour, row) => {
      expect(faultOfPeer(row)).toBeUndefined();
    });
  },
);

describe('the behaviours together', () => {
  const rows = PEER_AREAS.flatMap((area) => Object.values(area.rows)).filter((row) => !('elsewhere' in row));

  it(`are shown to at least ${LEAST_SHOWN * 100} %`, () => {
    expect(rows.filter((row) => !('missing' in row)).length / rows.length).toBeGreaterThanOrEqual(LEAST_SHOWN);
  });

  it('have each area once', () => {
    const names = PEER_AREAS.map(({ area }) => area);

    expect(new Set(names).size).toBe(names.length);
  });
});

function faultOfPeer(row: PeerRow): string | undefined {
  return 'elsewhere' in row ? faultOfReason(row.elsewhere) : faultOf(row);
}
