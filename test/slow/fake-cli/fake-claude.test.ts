import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fakeClaude } from '../../../src/testing/fake-cli/fake-claude.ts';
import { on, step, when } from '../../../src/testing/fake-cli/scenario.ts';
import { newFake } from './fakes.ts';
import { Host, isAlive } from './host.ts';

describe('fakeClaude', () => {
  it('refuses a malformed scenario before any process starts, and names the place', async () => {
    const scenario = { rules: [{ on: when.prompt('x'), do: [{ step: 'emitt' }] }] };
    await expect(fakeClaude(scenario as never)).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      message: expect.stringContaining('rules[0].do[0]: unknown step "emitt"'),
    });
  });

  it('tells how each process was started', async () => {
    const fake = await newFake();
    const host = new Host(fake, { args: ['--model', 'a b'], env: { TROUPE_TEST: 'yes' } });
    await host.end();
    const [start] = await fake.starts();

    expect(start).toMatchObject({ pid: host.child.pid, cwd: process.cwd(), env: { TROUPE_TEST: 'yes' } });
    expect(start?.argv.slice(-2)).toEqual(['--model', 'a b']);
  });

  it('gives every start its own behaviour; the last one repeats', async () => {
    const fake = await newFake({
      thinkMs: 1,
      perStart: [
        { rules: [on(when.prompt(), step.killSelf('SIGKILL'))] },
        { rules: [on(when.prompt(), step.exit(4))] },
        { rules: [on(when.prompt(), step.exit(5))] },
      ],
    });
    const codes: (number | null)[] = [];
    for (let start = 0; start < 4; start += 1) {
      const host = new Host(fake);
      host.prompt('go');
      codes.push((await host.exited).code);
    }
    expect(codes).toEqual([null, 4, 5, 5]);
  });

  it('gives no two processes the same entry, also when they start at once', async () => {
    const entry = (code: number) => ({ rules: [on(when.prompt(), step.exit(code))] });
    const fake = await newFake({ perStart: [1, 2, 3, 4, 5, 6].map(entry) });
    const hosts = Array.from({ length: 6 }, () => new Host(fake));
    for (const host of hosts) host.prompt('go');
    const exits = await Promise.all(hosts.map((host) => host.exited));

    expect(exits.map((exit) => exit.code).sort()).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('kills what is left and removes its folder when disposed, also twice', async () => {
    const fake = await fakeClaude({
      atStart: [step.ignore('eof'), step.ignore('SIGTERM'), step.emit({ type: 'ready' })],
    });
    const host = new Host(fake);
    await host.next((frame) => frame.type === 'ready');
    await fake.dispose();
    await fake[Symbol.asyncDispose]();

    expect((await host.exited).signal).toBe('SIGKILL');
    expect(isAlive(host.child.pid ?? 0)).toBe(false);
    expect(existsSync(dirname(fake.path))).toBe(false);
  });

  it('tells its version', async () => {
    const host = new Host(await newFake({ flavor: { version: '2.1.197' } }), { args: ['--version'] });
    await host.exited;
    expect(host.foreign).toEqual(['2.1.197 (Claude Code)']);
  });

  it('keeps 25 processes apart in one journal', async () => {
    const fake = await newFake();
    const hosts = Array.from({ length: 25 }, () => new Host(fake));
    const texts = await Promise.all(
      hosts.map(async (host, index) => {
        host.prompt(`number ${index}`);
        const { result } = await host.result();
        await host.end();
        return result;
      }),
    );
    const journal = await fake.journal();

    expect(texts).toEqual(hosts.map((_, index) => `Echo: number ${index}`));
    expect(journal).toHaveLength(25 * 4);
    for (const [index, host] of hosts.entries()) {
      const own = journal.filter((entry) => entry.pid === host.child.pid);
      expect(own.map((entry) => entry.kind)).toEqual(['start', 'line', 'eof', 'exit']);
      expect(JSON.stringify(own[1])).toContain(`"number ${index}"`);
    }
  });
});
