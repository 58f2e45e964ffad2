import { expect, it } from 'vitest';
import { quotaFleet, speak } from './quota-fleet.ts';

it('a supervisor keeps no more sessions than it may, whether they have a process or not, and says which limit it is (P9)', async () => {
  const { fleet, supervisor, start } = quotaFleet(({ cli }) => speak(cli), { limits: { maxRegistered: 2 } });
  const [sleeper] = [await start('a', { autoStart: false }), await start('b')];

  const refusal = { code: 'AT_CAPACITY', details: { field: 'limits.maxRegistered', limit: 2 } };
  await expect(start('c', { autoStart: false })).rejects.toMatchObject(refusal);
  await expect(supervisor.group({ id: 'team', children: [{ id: 'd' }] })).rejects.toMatchObject(refusal);
  expect(supervisor.list().map(({ id }) => id)).toEqual(['a', 'b']);
  expect(fleet.started).toHaveLength(1);

  await sleeper?.close();
  expect((await start('c', { autoStart: false })).state).toBe('hibernated');
  await supervisor.shutdown();
});
