import { setImmediate as nextLoop } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { TroupeError } from '../../src/errors.ts';
import { ExternalServers } from '../../src/mcp/external-servers.ts';
import { ServerWatch } from '../../src/mcp/server-watch.ts';
import { simulatedClock } from '../../src/testing/simulated-clock.ts';

describe('the servers of the CLI', () => {
  it('are asked about, less and less often, until none is pending (WIRE §9)', async () => {
    const { external, cli, pass, asked, changes } = open(['docs', 'mail']);
    external.begin();
    await pass(0);
    expect(asked()).toBe(1);
    await pass(99);
    expect(asked()).toBe(1);
    for (const waitMs of [1, 200, 400, 800, 1_000, 1_000]) await pass(waitMs);
    expect(asked()).toBe(7);

    cli.answer = [report('docs', 'connected'), report('mail', 'failed', 'Connection closed')];
    await pass(1_000);
    await pass(60_000);
    expect(asked()).toBe(8);
    expect(changes).toEqual(['docs connecting', 'mail connecting', 'docs connected', 'mail failed Connection closed']);
  });

  it('may be missing from the first answers: then they are still pending (WIRE §9)', async () => {
    const { external, cli, pass, changes } = open(['docs']);
    cli.answer = [];
    external.begin();
    await pass(0);
    cli.answer = [report('docs', 'connected')];
    await pass(100);
    expect(changes).toEqual(['docs connecting', 'docs connected']);
  });

  it('are not asked about for longer than a round lasts (P5)', async () => {
    const { external, pass, asked, clock } = open(['docs'], { roundMs: 500 });
    external.begin();
    await pass(0);
    for (let waited = 0; waited < 10_000; waited += 100) await pass(100);
    expect(asked()).toBe(3);
    external.close();
    expect(clock.openTimers).toBeLessThanOrEqual(1);
  });

  it('are told of at the start of each turn, too; those of others are none of ours', async () => {
    const { external, cli, pass, changes } = open(['docs']);
    cli.answer = [report('docs', 'connected')];
    external.begin();
    await pass(0);
    external.note([report('docs', 'failed', 'gone'), report('stranger', 'failed')]);
    external.note([report('docs', 'connected')]);
    expect(changes.slice(2)).toEqual(['docs failed gone', 'docs connected']);
  });

  it('rest where somebody has to do something, and come back when it was done', async () => {
    const { external, cli, pass, changes } = open(['docs', 'mail']);
    cli.answer = [report('docs', 'disabled'), report('mail', 'needs-auth')];
    external.begin();
    await pass(0);
    cli.answer = [report('docs', 'connected'), report('mail', 'needs-auth')];
    external.look();
    await pass(0);
    expect(changes).toEqual([
      'docs connecting',
      'mail connecting',
      'docs disabled',
      'mail needs-auth',
      'docs connecting',
      'docs connected',
    ]);
  });

  it('may be a secret of the CLI: that is told once, and nobody waits (WIRE §25.8)', async () => {
    const { external, cli, pass, untold, asked } = open(['docs']);
    cli.error = new TroupeError('CONTROL_REFUSED', { reason: 'Unsupported control request subtype: mcp_status' });
    external.begin();
    await pass(0);
    await pass(60_000);
    expect(untold).toEqual([expect.stringContaining('mcp_status')]);
    expect(asked()).toBe(1);
  });

  it('are no secret when an answer fails to come later, or when the process is going', async () => {
    const { external, cli, pass, untold } = open(['docs']);
    cli.error = new TroupeError('CLI_EXITED');
    external.begin();
    await pass(0);
    cli.error = undefined;
    external.look();
    await pass(0);
    cli.error = new TroupeError('CONTROL_TIMEOUT');
    external.look();
    await pass(0);
    expect(untold).toEqual([]);
  });

  it('are asked about in one round at a time, and never after the close', async () => {
    const { external, pass, asked, clock } = open(['docs']);
    external.begin();
    external.look();
    external.look();
    await pass(0);
    expect(asked()).toBe(3);
    await pass(100);
    expect(asked()).toBe(4);
    external.close();
    external.look();
    await pass(60_000);
    expect(asked()).toBe(4);
    expect(clock.openTimers).toBe(1);
  });

  it('do not exist where none is configured: nothing is asked', async () => {
    const { external, pass, asked } = open([]);
    external.begin();
    external.look();
    await pass(60_000);
    expect(asked()).toBe(0);
  });
});

describe('the servers of this process', () => {
  it('tell by their handshakes how they are, so that nobody asks about them', async () => {
    const { external, cli, pass, asked, changes } = open([]);
    cli.answer = [report('calc', 'failed'), report('calc', 'connected')];
    external.look();
    await pass(60_000);
    external.note([report('calc', 'failed'), report('calc', 'pending'), report('calc', 'connected')]);
    expect([asked(), changes]).toEqual([0, []]);
  });

  it('are asked about once where one may have been switched off or on, and that is told once (P6)', async () => {
    const { external, watch, cli, pass, asked, changes } = open([]);
    watch.handshakeStarted('calc');
    watch.connected('calc');
    for (const status of ['disabled', 'disabled', 'connected', 'connected']) {
      cli.answer = [report('calc', status)];
      external.lookAtAll();
      await pass(60_000);
    }
    expect(asked()).toBe(4);
    expect(changes).toEqual([
      'calc connecting',
      'calc connected',
      'calc disabled',
      'calc connecting',
      'calc connected',
    ]);
  });
});

function report(name: string, status: string, error?: string) {
  return { name, status, ...(error === undefined ? {} : { error }) };
}

function open(names: readonly string[], options: { roundMs?: number } = {}) {
  const clock = simulatedClock();
  const changes: string[] = [];
  const untold: string[] = [];
  const cli: { answer: unknown[]; error: Error | undefined } = {
    answer: names.map((name) => report(name, 'pending')),
    error: undefined,
  };
  let asked = 0;
  const watch = new ServerWatch({
    clock,
    connectMs: 1_000_000,
    inspect: undefined,
    policyOf: () => undefined,
    reconnect: () => Promise.resolve(),
    onChanged: (server, status, reason) => changes.push([server, status, reason].filter(Boolean).join(' ')),
  });
  const external = new ExternalServers({
    clock,
    watch,
    names: () => names,
    isInProcess: (name) => name === 'calc',
    ask: async () => {
      asked += 1;
      if (cli.error !== undefined) throw cli.error;
      return { mcpServers: cli.answer };
    },
    roundMs: options.roundMs ?? 15_000,
    onUntold: (reason) => untold.push(reason),
  });
  const pass = async (ms: number) => {
    clock.increment(ms);
    await nextLoop();
  };
  return { external, watch, clock, cli, changes, untold, asked: () => asked, pass };
}
