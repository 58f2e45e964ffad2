import { setImmediate as nextLoop } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import type { PermissionDesk } from '../../src/permissions/permission-desk.ts';
import { openDesk } from './desk-harness.ts';

it.each([
  ['nobody but people is asked', {}],
  ['a callback leaves it to people', { canUseTool: async () => null }],
])('a question that was answered keeps nothing of its session in memory when %s (P9)', async (_what, options) => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const desks: WeakRef<PermissionDesk>[] = [];
  for (let count = 0; count < 5; count += 1) desks.push(await answered(options));

  for (let round = 0; round < 10 && desks.some((desk) => desk.deref() !== undefined); round += 1) {
    await nextLoop();
    collect();
  }
  expect(desks.filter((desk) => desk.deref() !== undefined)).toEqual([]);
});

async function answered(options: Parameters<typeof openDesk>[0]): Promise<WeakRef<PermissionDesk>> {
  const { desk, ask, settled } = openDesk(options);
  await ask('r1');
  desk.answer('r1', { behavior: 'deny', message: 'No.' }, 'ada');
  await nextLoop();
  expect(settled.map(({ settlement }) => settlement.by)).toEqual(['ada']);
  return new WeakRef(desk);
}
