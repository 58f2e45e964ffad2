// Works with a store whose disk may fail: `node failing-disk-program.mjs PATH`. Opens it, makes changes and forgets some; what is
// refused it tries again, a few times. Says on standard output what came of each: `refused CODE`, `kept SEQ`, at last `done`.
import { writeSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { openSqliteStore } from '../../../dist/src/index.js';

const TRIES = 3;
const [, , path] = process.argv;

const store = await tried(() => openSqliteStore(path, { durability: 'strict' }));
let last = 0;
for (let change = 1; change <= 12; change += 1) {
  await tried(() => store.append(next(last, change * 3)));
  last += change * 3;
  writeSync(1, `kept ${last}\n`);
  if (change % 5 === 0) await tried(() => store.prune({ maxEventsPerSession: 20 }));
}
await store.close();
writeSync(1, 'done\n');

async function tried(work) {
  for (let left = TRIES; ; left -= 1) {
    try {
      return await work();
    } catch (error) {
      writeSync(1, `refused ${error.code ?? error.message}\n`);
      if (left === 1) process.exit(3);
      await wait(5);
    }
  }
}

/** Lines of some size, so that pages are cut and the file grows; the record says the same as the last event. */
function next(from, count) {
  const events = Array.from({ length: count }, (_, index) => {
    const seq = from + index + 1;
    return { seq, epoch: 1, at: seq, type: 'message', data: Buffer.from(`${seq} ${'x'.repeat(600)}`) };
  });
  const records = [{ kind: 'prompt', id: 'p', state: 'accepted', acceptedAt: 1, content: from + count }];
  return { sessionId: 'a', epoch: 1, events, records };
}
