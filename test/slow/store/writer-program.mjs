// Writes to a store until it is killed: `node writer-program.mjs PATH ACKNOWLEDGED DEATH DURABILITY`. Every acknowledged
// change is noted in the file ACKNOWLEDGED. It dies by SIGKILL, DEATH says when: `opening MS` after its start; `writing N MS`
// after the Nth acknowledgement; `never`. Says `open` when it holds the store, or the error as JSON, and then leaves.
import { openSync, writeSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { openSqliteStore } from '../../../dist/src/index.js';

const [, , path, acknowledged, death, durability] = process.argv;
const [phase, ...numbers] = death.split(' ');
if (phase === 'opening') dieAfter(Number(numbers[0]));

const store = await openSqliteStore(path, { durability, commitDelayMs: 2 }).catch((error) => {
  console.log(JSON.stringify(error));
  process.exit(3);
});
const notes = openSync(acknowledged, 'a');
console.log('open');

const last = new Map();
for (const session of ['a', 'b']) last.set(session, (await store.head(session))?.lastSeq ?? 0);

let waiting = 0;
let left = phase === 'writing' ? Number(numbers[0]) : Infinity;
if (left === 0) dieAfter(Number(numbers[1]));
for (;;) {
  for (const session of ['a', 'b']) if (waiting < 20) append(session, 1 + Math.floor(Math.random() * 40));
  await nextTurn();
}

function append(session, count) {
  const first = last.get(session) + 1;
  const seqs = Array.from({ length: count }, (_, index) => first + index);
  const end = first + count - 1;
  last.set(session, end);
  waiting += 1;
  const events = seqs.map((seq) => ({
    seq,
    epoch: 1,
    at: seq,
    type: 'message',
    data: Buffer.from(`${session} ${seq}`),
  }));
  const record = { kind: 'prompt', id: 'p', state: 'accepted', acceptedAt: 1, content: end };
  store.append({ sessionId: session, epoch: 1, events, records: [record] }).then(
    () => {
      waiting -= 1;
      writeSync(notes, `${session} ${end}\n`);
      left -= 1;
      if (left === 0) dieAfter(Number(numbers[1]));
    },
    (error) => {
      console.log(JSON.stringify(error));
      process.exit(4);
    },
  );
}

/** The thread that writes is wherever it is at that moment. */
function dieAfter(ms) {
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), ms);
}
