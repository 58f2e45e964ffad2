import { expect, it } from 'vitest';
import { createSupervisor } from '../../src/supervision/supervisor.ts';
import { memoryFleet } from '../supervision/memory-cli.ts';

const SECRET = 'canary-name-51c7e0';

it('ids and keys that hold a secret are refused without telling it: nothing is found by what may not be kept (P11)', async () => {
  const supervisor = createSupervisor({ spawn: memoryFleet().open, secrets: { values: [SECRET] } });
  for (const names of [{ id: `a.${SECRET}` }, { key: `a ${SECRET}` }]) {
    const error = await supervisor.start(names).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'INVALID_OPTIONS', details: { field: Object.keys(names)[0] } });
    expect(String(error)).not.toContain(SECRET);
  }
  const session = await supervisor.start({ id: 'a' });
  expect(() => session.prompt('Hello', { id: SECRET })).toThrow(expect.objectContaining({ code: 'INVALID_PROMPT' }));
  await supervisor.shutdown();
});
