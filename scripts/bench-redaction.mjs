// What looking for secrets adds to a line that holds none: the line is cut, decoded, told and logged as in a session.
import { performance } from 'node:perf_hooks';

const { ProcessRedaction } = await import('../src/redaction/process-redaction.ts');
const { Secrets } = await import('../src/redaction/secrets.ts');
const { Conversation } = await import('../src/session/conversation.ts');
const { LineReader } = await import('../src/session/line-reader.ts');
const { EventLog } = await import('../src/store/event-log.ts');
const { streamJson } = await import('../src/wire/stream-json/codec.ts');

const LINES = 20_000;
const ROUNDS = 9;
const LIMITS = { maxItems: 10_000, maxBytes: 16 * 2 ** 20, subscriber: { maxItems: 1_000, maxBytes: 2 ** 20 } };
const WORDS = 'The quick brown fox jumps over a lazy dog, and some more are to come: can you see it? '.split(/(?= )/);

const KINDS = {
  'a piece of an answer': (index) =>
    event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: WORDS[index % WORDS.length] } }),
  'a result of a tool, 4 KB': (index) =>
    JSON.stringify({
      ...{ type: 'user', session_id: 's', uuid: `${index}`, parent_tool_use_id: null },
      message: { role: 'user', content: [{ type: 'tool_result', content: WORDS.join('').repeat(46) }] },
    }),
};

export async function run() {
  // As many as a server's environment may have, each in all its spellings.
  const values = Array.from({ length: 20 }, (_, index) => `${index}-secret-"${'a8F_'.repeat(8)}`);
  const secrets = new Secrets({ values, hasShapes: true });
  const rows = Object.entries(KINDS).map(([kind, lineOf]) => {
    const chunk = Buffer.from(`${Array.from({ length: 500 }, (_, index) => lineOf(index)).join('\n')}\n`);
    const [without, withSecrets] = medians([() => play(chunk, undefined), () => play(chunk, secrets)]);
    return {
      line: kind,
      'µs without': without.toFixed(2),
      'µs with': withSecrets.toFixed(2),
      ratio: (withSecrets / without).toFixed(3),
    };
  });
  console.log(`Looking for ${values.length} secrets and the well-known shapes`);
  console.table(rows);
}

function play(chunk, secrets) {
  const log = new EventLog(LIMITS, () => 0);
  const conversation = new Conversation({
    ...{ log, rules: () => ({ maxQueued: 1, onLost: 'once' }), wanted: undefined, continuesOther: false },
    expectedMode: () => 'default',
  });
  const redaction = secrets === undefined ? undefined : new ProcessRedaction(() => secrets);
  const message = (each) => {
    if (redaction === undefined) conversation.onMessage(each);
    else for (const told of redaction.message(each)) conversation.onMessage(told);
  };
  const ignore = () => {};
  // As the link of a session takes them.
  const run = (found) => {
    for (let index = 0; index < found.count; index += 1) message(found.message(index));
  };
  const listener = { message, run, control: ignore, diagnostic: ignore, overflow: ignore };
  const reader = new LineReader({ codec: streamJson, maxLineBytes: 2 ** 20, listener });
  const start = performance.now();
  for (let lines = 0; lines < LINES; lines += 500) reader.read(chunk);
  return ((performance.now() - start) * 1_000) / LINES;
}

/** In turn, so that what else the machine does falls on both. */
function medians(works) {
  const times = works.map(() => []);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, work] of works.entries()) times[index].push(work());
  }
  return times.map((each) => each.slice(1).sort((a, b) => a - b)[Math.floor((ROUNDS - 1) / 2)]);
}

function event(body) {
  const id = '00000000-0000-4000-8000-000000000000';
  return JSON.stringify({ type: 'stream_event', event: body, session_id: id, parent_tool_use_id: null, uuid: id });
}
