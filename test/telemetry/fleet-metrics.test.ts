import { readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSupervisor, type SessionOptions } from '../../src/index.ts';
import { measureFleet } from '../../src/telemetry/fleet-metrics.ts';
import { serverStage } from '../server/stage.ts';
import { type MemoryPrompt, memoryFleet } from '../supervision/memory-cli.ts';

const SECRET = 'sk-canary-0123456789abcdef';

/** A fleet in memory, and what is measured of it. */
function measured(answer?: (prompt: MemoryPrompt) => void) {
  const fleet = memoryFleet(answer);
  const supervisor = createSupervisor({ spawn: fleet.open, reap: 'off' });
  const metrics = measureFleet(supervisor);
  onTestFinished(async () => {
    metrics.close();
    await supervisor.shutdown();
  });
  const start = (options: SessionOptions = {}) => supervisor.start({ restart: { type: 'temporary' }, ...options });
  return { fleet, supervisor, metrics, start };
}

/** The samples of the text format: `name{label="value"}` and its number. */
function samplesOf(text: string): ReadonlyMap<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  );
}

describe('the metrics of a fleet (R101)', () => {
  it('count sessions by state, transitions, prompts, turns, money and tokens', async () => {
    const usage = { input_tokens: 11, output_tokens: 7 };
    const { start, metrics } = measured((prompt) => prompt.complete('done', { total_cost_usd: 0.25, usage }));
    const [one] = [await start({ id: 'one' }), await start({ id: 'two' })];
    await one.prompt('go').result;
    const samples = samplesOf(await metrics.text());

    expect(samples.get('troupe_sessions{state="ready"}')).toBe(2);
    expect(samples.get('troupe_session_transitions_total{state="spawning"}')).toBe(2);
    expect(samples.get('troupe_prompts_total{outcome="completed"}')).toBe(1);
    expect(samples.get('troupe_turns_total{outcome="success"}')).toBe(1);
    expect(samples.get('troupe_cost_usd_total')).toBe(0.25);
    expect(samples.get('troupe_tokens_total{kind="input"}')).toBe(11);
    expect(samples.get('troupe_tokens_total{kind="output"}')).toBe(7);
    expect(samples.get('troupe_prompt_queue_seconds_count')).toBe(1);
    expect(samples.get('troupe_turn_seconds_count{outcome="success"}')).toBe(1);
    expect(samples.get('troupe_session_start_seconds_count')).toBe(2);
    expect(samples.get('troupe_messages_total{type="result"}')).toBe(1);
    expect(samples.get('troupe_message_bytes_total')).toBeGreaterThan(100);
    expect(samples.get('troupe_prompts_unfinished')).toBe(0);
    expect([...samples.values()].every(Number.isFinite)).toBe(true);

    await one.close();
    const after = samplesOf(await metrics.text());
    expect(after.get('troupe_sessions{state="ready"}')).toBe(1);
    expect(after.get('troupe_session_ends_total{code="closed"}')).toBe(1);
  });

  it('tell restarts by why the process ended', async () => {
    const { start, fleet, metrics } = measured();
    const restart = { type: 'permanent', backoff: { minMs: 1, maxMs: 1 } } as const;
    await start({ restart });
    fleet.running()[0]?.exit(3);
    await expect.poll(() => fleet.started.length).toBe(2);
    const samples = samplesOf(await metrics.text());
    const restarts = [...samples].filter(([name]) => name.startsWith('troupe_session_restarts_total'));
    expect(restarts).toMatchObject([[expect.stringContaining('code="CLI_EXITED"'), 1]]);
  });

  it('have labels that nobody outside chooses: no id, no text, no secret, however many there are (P9, P11)', async () => {
    const { start, metrics } = measured((prompt) => {
      prompt.cli.say({ type: `made-up-${prompt.text}` }, { type: `bad "label" ${SECRET}` });
      prompt.complete(SECRET);
    });
    const session = await start({ id: 'name-of-a-customer', env: { API_KEY: SECRET } });
    for (let number = 0; number < 100; number += 1) await session.prompt(`${number}`).result;
    const text = await metrics.text();

    expect(text).not.toContain(SECRET);
    expect(text).not.toContain('name-of-a-customer');
    const types = [...samplesOf(text)].filter(([name]) => name.startsWith('troupe_messages_total'));
    expect(types.length).toBeLessThanOrEqual(42);
    expect(samplesOf(text).get('troupe_messages_total{type="other"}')).toBeGreaterThan(100);
  });

  it('are served to whoever may read, as Prometheus asks', async () => {
    const { ask } = await serverStage({}, { spawn: memoryFleet().open });
    const { status, headers, text } = await ask('GET', '/metrics');
    expect([status, headers['content-type']]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
    expect(text).toContain('# TYPE troupe_permission_wait_seconds histogram');
    expect((await ask('GET', '/metrics', undefined, { authorization: 'Bearer nobody' })).status).toBe(401);
  });
});

describe('docs/metrics.md', () => {
  it('names each metric, and no other', async () => {
    const { metrics } = measured();
    const page = readFileSync(new URL('../../docs/metrics.md', import.meta.url), 'utf8');
    const rows = page.split('\n').filter((line) => /^\| `(troupe|process)_/.test(line));
    const documented = rows.flatMap((row) =>
      [...(row.split('|')[1] ?? '').matchAll(/`([\w]+)`/g)].map(([, name]) => name),
    );
    const served = [...(await metrics.text()).matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name);
    expect(documented.toSorted()).toEqual(served.toSorted());
  });
});
