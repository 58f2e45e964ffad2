import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SessionOptions } from '../../../src/index.ts';
import type { Scenario } from '../../../src/testing/fake-cli/scenario.ts';
import { dialectConformance } from '../../dialects/conformance.ts';
import scenario from '../../dialects/scenarios/stream-json.json' with { type: 'json' };
import { errorFrom, isAlive, newFake, newSupervisor, processesOf, script } from '../session/stage.ts';

const TROUPE = fileURLToPath(new URL('../../../dist/src/cli/main.js', import.meta.url));

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-engine-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** The engine is Troupe itself: `troupe serve --stdio`, with the fake CLI behind it. */
async function overTroupe(options: SessionOptions) {
  const fake = await newFake(scenario as Scenario);
  const supervisor = newSupervisor({ timeouts: { closeGraceMs: 20_000 } });
  const session = await supervisor.start({
    dialect: 'json-rpc',
    pathToClaudeCodeExecutable: TROUPE,
    engineArgs: ['serve', '--stdio', '--cli', fake.path, '--root', folder],
    cwd: folder,
    ...options,
  });
  return {
    session,
    ran: async () => (await fake.journal()).some((entry) => entry.kind === 'tool' && entry.tool === 'Bash'),
    violations: async () => fake.violations(),
    processes: () => processesOf(session.id),
    fake,
  };
}

dialectConformance({ name: 'json-rpc, to the engine of Troupe (`troupe serve --stdio`)', start: overTroupe });

describe('a session of an engine (DIALECTS §3)', () => {
  it('ends with its engine, and the CLI behind it, when it is closed (P1)', async () => {
    const { session, fake } = await overTroupe({});
    await session.prompt('hello').result;
    const pids = await fake.pids();
    expect(pids.filter(isAlive)).not.toEqual([]);
    await session.close();
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it('keeps the bytes of each line, and says what they mean (P6)', async () => {
    const { session } = await overTroupe({});
    const turn = session.prompt('hello');
    for await (const message of turn) {
      expect(message.isTranslated).toBe(true);
      expect(JSON.parse(message.raw.toString())).toHaveProperty('jsonrpc', '2.0');
    }
    expect((await turn.result).text).toBe('Echo: hello');
  });

  it('passes options on to the session of the engine; one that the engine does not open refuses the start', async () => {
    const { session, fake } = await overTroupe({ model: 'claude-test-model' });
    await session.prompt('hello').result;
    expect((await fake.starts())[0]?.argv).toContain('--model=claude-test-model');
    expect((await errorFrom(overTroupe({ settings: { env: {} } }))).message).toContain('settings');
  });

  it('is refused with OPTION_UNSUPPORTED by an engine that knows the write-up alone and is to call hooks', async () => {
    const answer = {
      jsonrpc: '2.0',
      id: 0,
      result: { protocol_version: '1.0', capabilities: { tools: [], mcp_servers: 0 } },
    };
    const engine = await script('read -r line', `echo '${JSON.stringify(answer)}'`, 'cat >/dev/null');
    const supervisor = newSupervisor({ pathToClaudeCodeExecutable: engine, dialect: 'json-rpc' });
    const plain = await supervisor.start({});
    expect(plain.state).toBe('ready');
    await expect(plain.setModel('opus')).rejects.toMatchObject({ code: 'CONTROL_UNSUPPORTED' });
    const refused = supervisor.start({ hooks: { PreToolUse: [{ hooks: [() => ({})] }] } });
    expect(await errorFrom(refused)).toMatchObject({ code: 'OPTION_UNSUPPORTED', details: { options: ['hooks'] } });
  });
});
