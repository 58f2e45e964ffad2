import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import type { FleetEvent } from '../../../src/index.ts';
import { REDACTED } from '../../../src/redaction/secrets.ts';
import { on, when } from '../../../src/testing/fake-cli/scenario.ts';
import { spellingsOf } from '../../redaction/spellings-of.ts';
import { tellingEverything } from '../../redaction/telling-everything.ts';
import { storeFolder } from '../cli/review-store.ts';
import { troupe } from '../cli/troupe-process.ts';
import { errorFrom, linesTo, newFake, newSupervisor } from '../session/stage.ts';

/** One of each kind of place; none looks like a secret of a known service. */
const CANARIES = {
  declared: 'canary-declared-"5c1f"\\é',
  host: 'canary-host-e83b11',
  supervisor: 'canary-supervisor-77b0',
  env: 'canary-env-7d2a90',
  address: 'canary-address-4b7e',
  header: 'canary-header-0f64c2',
  serverEnv: 'canary-server-env-93ad',
};
/** Is in no variable and in no header: it may be told by nobody but the options, which must not keep it. */
const SETTING = 'canary-setting-61fe';
const ALL = Object.values(CANARIES).join(' and ');

afterEach(() => {
  delete process.env['TROUPE_CANARY_TOKEN'];
});

describe('secrets seeded everywhere (P11)', () => {
  it('are in no byte of the files of a store, open or closed, and in nothing that is told of it', async () => {
    const { files, outputs, heard, lines } = await playCanaries();

    // They were really there, and the CLI and its tools had them.
    expect(JSON.stringify(heard)).toContain(JSON.stringify(ALL).slice(1, -1));
    expect(Object.keys(files).toSorted()).toEqual([
      'closed troupe.db',
      'open troupe.db',
      'open troupe.db-shm',
      'open troupe.db-wal',
    ]);
    expect(files['open troupe.db-wal']?.includes(REDACTED)).toBe(true);
    expect(files['closed troupe.db']?.includes(REDACTED)).toBe(true);
    expect(lines).toBeGreaterThan(0);
    for (const name of ['logs', 'export', 'fleet', 'pino']) expect(outputs[name], name).toContain(REDACTED);

    const told = Object.entries(outputs).map(([name, text]) => [name, Buffer.from(text ?? '')] as const);
    for (const [place, canary] of [...Object.entries(CANARIES), ['setting', SETTING] as const]) {
      const spellings = spellingsOf(canary);
      for (const [name, bytes] of [...Object.entries(files), ...told]) {
        const found = spellings.filter((spelling) => bytes.includes(spelling));
        expect(found, `the canary "${place}" in ${name}`).toEqual([]);
      }
    }
  });
});

async function playCanaries() {
  process.env['TROUPE_CANARY_TOKEN'] = CANARIES.host;
  const { folder, remove } = storeFolder();
  onTestFinished(remove);
  const path = join(folder, 'troupe.db');
  const written: string[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      written.push(String(chunk));
      done();
    },
  });
  const fake = await newFake({ rules: [on(when.prompt(), ...tellingEverything(ALL, 'Bash'))] });
  const supervisor = newSupervisor({
    pathToClaudeCodeExecutable: fake.path,
    store: path,
    logger: pino({ level: 'debug' }, sink),
    secrets: { values: [CANARIES.declared] },
    env: { FLEET_PASSWORD: CANARIES.supervisor },
  });
  const fleet: FleetEvent[] = [];
  supervisor.on('event', (event) => {
    fleet.push(event);
    // What an observer throws is logged.
    if (event.type === 'prompt.started') throw new Error(`the observer saw ${ALL}`);
  });
  const asked: unknown[] = [];
  const session = await supervisor.start({
    id: 'canary',
    restart: { type: 'temporary' },
    env: { DIFY_KEY: CANARIES.env, DATABASE_URL: `postgres://user:${CANARIES.address}@host/db` },
    settings: { env: { SERVICE_TOKEN: SETTING } },
    includePartialMessages: true,
    mcpServers: {
      remote: { type: 'http', url: 'https://host/mcp', headers: { 'X-Client': CANARIES.header } },
      local: { command: 'server', env: { API_TOKEN: CANARIES.serverEnv } },
    },
    canUseTool: async (_name, input) => {
      asked.push(input);
      return { behavior: 'deny', message: `not with ${ALL}` };
    },
  });
  const turn = session.prompt(`use ${ALL}`);
  const result = await turn.result;
  await session.ended;
  expect(asked).toEqual([{ command: `echo ${ALL}` }]);
  // It was never told the others: they are secrets of the session before.
  const known = `${CANARIES.declared} and ${CANARIES.host} and ${CANARIES.supervisor}`;
  const refusal = await errorFrom(supervisor.start({ id: 'canary-two', resume: known }));

  const files: Record<string, Buffer> = {};
  // A copy, made by another process: reading the files in this one would end its locks on them.
  const copied = join(folder, 'copied');
  mkdirSync(copied);
  execFileSync('cp', [path, `${path}-wal`, `${path}-shm`, copied]);
  for (const name of readdirSync(copied)) files[`open ${name}`] = readFileSync(join(copied, name));
  const env = { PATH: process.env['PATH'] ?? '' };
  const [logs, plain, exported] = await Promise.all([
    troupe(['logs', 'canary', '--store', path, '--json'], { env }).finished,
    troupe(['logs', 'canary', '--store', path], { env }).finished,
    troupe(['export', 'canary', '--store', path], { env }).finished,
  ]);
  const explained = [session.snapshot(), session.explain(), session.history(), session.turns(), supervisor.explain()];
  await supervisor.shutdown();
  files['closed troupe.db'] = readFileSync(path);

  const outputs: Record<string, string> = {
    logs: logs.stdout,
    'logs for people': plain.stdout,
    export: exported.stdout,
    pieces: piecesIn(logs.stdout),
    fleet: fleet.map((event) => (event.type === 'message' ? event.message.text : JSON.stringify(event))).join('\n'),
    pino: written.join(''),
    explained: JSON.stringify(explained),
    result: JSON.stringify([result, result.error?.message, result.error?.details]),
    refusal: `${refusal.message} ${refusal.stack} ${JSON.stringify(refusal.details)}`,
  };
  return { files, outputs, heard: await linesTo(fake), lines: written.length };
}

/** What a reader of the pieces of an answer puts together. */
function piecesIn(logs: string): string {
  return logs
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).message?.event?.delta?.text ?? '')
    .join('');
}
