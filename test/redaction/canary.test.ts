import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { parseRecording } from '../../src/recording/recording-reader.ts';
import { REDACTED } from '../../src/redaction/secrets.ts';
import type { ObservedEvent } from '../../src/store/session-event.ts';
import type { Store } from '../../src/store/store.ts';
import { temporaryFolder } from '../recording/temporary-folder.ts';
import { type MemoryOptions, memoryStage, until } from '../session/memory-cli.ts';
import { steeredStore } from '../store/steered-store.ts';

/** One of each kind of place; none looks like a secret of a known service. */
const CANARIES = {
  declared: 'canary-declared-"5c1f"\\é',
  env: 'canary-env-7d2a90',
  host: 'canary-host-e83b11',
  header: 'canary-header-0f64c2',
  serverEnv: 'canary-server-env-93ad',
  address: 'canary-address-4b7e',
};
const ALL = Object.values(CANARIES).join(' and ');

afterEach(() => {
  delete process.env['TROUPE_CANARY_TOKEN'];
});

describe('secrets seeded everywhere (P11)', () => {
  it('are in no event, log line, snapshot, explanation, result or error of a session, whoever said them', async () => {
    const { told, session, turn, lines, supervisor } = await playCanaries();
    await session.ended;
    const result = await turn.result;
    const outputs = [
      told.map(textOf),
      result,
      result.error?.message,
      result.error?.details,
      session.snapshot(),
      session.explain(),
      session.history(),
      session.turns(),
      supervisor.explain(),
      // As a logger writes them: an error with its words.
      inspect(lines, { depth: 10 }),
    ].map((output) => JSON.stringify(output) ?? '');
    await supervisor.shutdown();

    expect(told.some((event) => event.type === 'permission.requested')).toBe(true);
    expect(lines.length).toBeGreaterThan(0);
    expect(outputs.filter((output) => output.includes(REDACTED)).length).toBeGreaterThan(3);
    for (const [place, canary] of Object.entries(CANARIES)) {
      const found = outputs.flatMap((output) => spellings(canary).filter((spelling) => output.includes(spelling)));
      expect(found, place).toEqual([]);
    }
  });

  it('are in no change that a store is given: no event, no record, no setting; a prompt that lost one says so', async () => {
    const store = steeredStore();
    const { session, supervisor } = await playCanaries(() => {}, store);
    await session.ended;
    await supervisor.shutdown();

    const records = store.given.flatMap((change) => change.records ?? []);
    const events = store.given.flatMap((change) => change.events.map(({ data }) => Buffer.from(data).toString()));
    const kept = [...events, ...records.map((record) => JSON.stringify(record))];
    expect(records.find((record) => record.kind === 'prompt')).toMatchObject({
      content: expect.stringContaining(REDACTED),
      isRedacted: true,
    });
    expect(records.find((record) => record.kind === 'prompt' && record.state === 'ended')).toMatchObject({
      result: expect.anything(),
    });
    const question = records.find((record) => record.kind === 'permission');
    expect(JSON.stringify(question)).toContain(REDACTED);
    for (const [place, canary] of Object.entries(CANARIES)) {
      const found = kept.filter((text) => spellings(canary).some((spelling) => text.includes(spelling)));
      expect(found, place).toEqual([]);
    }
  });

  it('are in no byte of a recording, in either direction, however they were cut', async () => {
    const folder = await temporaryFolder();
    const { session, supervisor } = await playCanaries(() => {}, ':memory:', { record: folder });
    await session.ended;
    await supervisor.shutdown();
    const file = await readFile(join(folder, 'canary.ndjson'), 'latin1');
    const { frames } = parseRecording(Buffer.from(file, 'latin1'));
    const said = frames.map((frame) => (frame.direction === 'n' ? JSON.stringify(frame) : frame.bytes.toString()));
    const deltas = said.filter((line) => line.includes('text_delta')).map((line) => JSON.parse(line).event.delta.text);
    // What a reader would put together again, and what a line held that the file keeps in another spelling.
    const read = [file, Buffer.from(file, 'latin1').toString(), ...said, deltas.join('')];

    for (const direction of ['>', '<', 'e']) {
      const lines = frames.flatMap((frame) =>
        frame.direction === direction && 'bytes' in frame ? [frame.bytes.toString()] : [],
      );
      expect(lines.join('\n'), direction).toContain(REDACTED);
    }
    expect(said.filter((line) => line.startsWith('no JSON, but'))).toEqual([expect.stringContaining(REDACTED)]);
    for (const [place, canary] of Object.entries(CANARIES)) {
      const found = spellings(canary).filter((spelling) => read.some((text) => text.includes(spelling)));
      expect(found, place).toEqual([]);
    }
  });

  it('reach the CLI as they are, and whoever decides about a tool', async () => {
    const asked: unknown[] = [];
    const { heard, session, supervisor } = await playCanaries((input) => asked.push(input));
    await session.ended;
    await supervisor.shutdown();

    expect(JSON.stringify(heard)).toContain(JSON.stringify(ALL).slice(1, -1));
    expect(asked).toEqual([{ command: `echo ${ALL}` }]);
  });

  it('stand in a question for as long as it is open, and no longer', async () => {
    const { session, told, supervisor } = await playCanaries();
    await session.ended;
    const settled = told.find((event) => event.type === 'permission.settled');
    const question = settled?.type === 'permission.settled' ? session.permissions.get(settled.requestId) : undefined;
    await supervisor.shutdown();

    expect(question).toMatchObject({ toolName: 'Bash', settlement: { outcome: 'denied' } });
    expect(JSON.stringify(question)).toContain(`"command":"echo ${REDACTED}`);
    for (const canary of Object.values(CANARIES)) {
      expect(spellings(canary).filter((spelling) => JSON.stringify(question).includes(spelling))).toEqual([]);
    }
  });
});

describe('the option secrets', () => {
  it('refuses a value that is too short to be searched for', async () => {
    await expect(memoryStage({ secrets: { values: ['1234567'] } })).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      details: { field: 'secrets.values[0]' },
    });
  });
});

async function playCanaries(
  onAsked: (input: unknown) => void = () => {},
  store: Store | ':memory:' = ':memory:',
  options: MemoryOptions = {},
) {
  process.env['TROUPE_CANARY_TOKEN'] = CANARIES.host;
  const lines: unknown[] = [];
  const logger = {
    debug: (...line: unknown[]) => lines.push(line),
    info: (...line: unknown[]) => lines.push(line),
    warn: (...line: unknown[]) => lines.push(line),
    error: (...line: unknown[]) => lines.push(line),
  };
  const stage = await memoryStage({ secrets: { values: [CANARIES.declared] }, logger, store, ...options });
  const session = await stage.supervisor.start({
    id: 'canary',
    restart: { type: 'temporary' },
    env: { DIFY_KEY: CANARIES.env, DATABASE_URL: `postgres://user:${CANARIES.address}@host/db` },
    includePartialMessages: true,
    mcpServers: {
      remote: { type: 'http', url: 'https://host/mcp', headers: { 'X-Client': CANARIES.header } },
      local: { command: 'server', env: { API_TOKEN: CANARIES.serverEnv } },
    },
    canUseTool: async (_name, input) => {
      onAsked(input);
      return { behavior: 'deny', message: `not with ${ALL}` };
    },
  });
  const told: ObservedEvent[] = [];
  const reading = (async () => {
    for await (const event of session.events()) told.push(event);
  })();
  // What an observer throws is logged.
  stage.supervisor.on('event', (event) => {
    if (event.type === 'prompt.started') throw new Error(`the observer saw ${ALL}`);
  });
  const cli = stage.cli();
  const turn = session.prompt(`use ${ALL}`);
  await until(() => cli.prompts().length > 0);
  cli.openTurn();
  for (const text of piecesOf(ALL)) {
    const delta = { type: 'text_delta', text };
    cli.say({
      type: 'stream_event',
      event: { type: 'content_block_delta', index: 0, delta },
      parent_tool_use_id: null,
    });
  }
  cli.say({ type: 'stream_event', event: { type: 'content_block_stop', index: 0 }, parent_tool_use_id: null });
  const encoded = Buffer.from(CANARIES.env).toString('base64');
  cli.say({
    type: 'assistant',
    message: { role: 'assistant', content: [{ type: 'text', text: `${ALL} ${encoded}` }] },
  });
  cli.ask('can_use_tool', { tool_name: 'Bash', input: { command: `echo ${ALL}` }, tool_use_id: 'toolu_1' });
  await until(() => told.some((event) => event.type === 'permission.settled'));
  const content = [{ type: 'tool_result', tool_use_id: 'toolu_1', content: ALL }];
  cli.say({ type: 'user', message: { role: 'user', content } });
  cli.ask('nobody_knows', { text: ALL });
  cli.peer.output(`no JSON, but ${ALL}\n`);
  cli.peer.stderr(`could not use ${ALL}`);
  cli.endTurn({ is_error: true, subtype: 'error_during_execution', errors: [`it failed with ${ALL}`], result: ALL });
  cli.peer.exit({ exitCode: 1, signal: null });
  await reading;
  return { ...stage, session, turn, told, lines, heard: cli.heard };
}

/** Small pieces, as a model writes them. */
function piecesOf(text: string): string[] {
  return text.match(/.{1,5}/gu) ?? [];
}

function textOf(event: ObservedEvent): unknown {
  return event.type === 'message' ? event.message.text : event;
}

/** As it is, in JSON, in JSON in JSON, in base64. */
function spellings(canary: string): string[] {
  const once = JSON.stringify(canary).slice(1, -1);
  const twice = JSON.stringify(once).slice(1, -1);
  return [canary, once, twice, JSON.stringify(twice).slice(1, -1), Buffer.from(canary).toString('base64').slice(0, 16)];
}
