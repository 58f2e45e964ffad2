import { describe, expect, it } from 'vitest';
import { normalized } from './normalized.ts';

const ONE = '11111111-1111-4111-8111-111111111111';
const TWO = '22222222-2222-4222-8222-222222222222';

describe('what is compared of two runs', () => {
  it('is everything but the folder, uuids, moments, durations, the device and the pid of a socket', () => {
    const run = (id: string, folder: string, ms: number) => ({
      uuid: id,
      session_id: id,
      cwd: `/tmp/${folder}/cwd`,
      timestamp: `2026-01-01T00:00:0${ms}.000Z`,
      duration_ms: ms,
      durationMs: ms,
      messaging_socket_path: `/tmp/${folder}/tmp/cc-socks/${ms}.sock`,
      metadata: `{"device_id":"${String(ms).repeat(64)}"}`,
    });

    expect(normalized(run(ONE, 'a-1', 1), 'a-1')).toEqual(normalized(run(TWO, 'b-2', 2), 'b-2'));
  });

  it.each([
    ['a text', { text: 'a' }, { text: 'b' }],
    ['a number', { total_cost_usd: 1 }, { total_cost_usd: 2 }],
    ['a field that is not there', { duration_ms: 1, ttft_ms: 1 }, { duration_ms: 1 }],
    ['an order', ['a', 'b'], ['b', 'a']],
    ['a message more', [{ type: 'user' }], [{ type: 'user' }, { type: 'user' }]],
    ['who names whom', { uuid: ONE, parent: TWO, third: ONE }, { uuid: ONE, parent: TWO, third: TWO }],
    ['another folder', { cwd: '/tmp/run/cwd' }, { cwd: '/tmp/run/home' }],
  ])('is not blind for %s', (_, left, right) => {
    expect(normalized<unknown>(left, 'run')).not.toEqual(normalized<unknown>(right, 'run'));
  });
});
