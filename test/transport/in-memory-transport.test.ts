import { describe, expect, it } from 'vitest';
import { TroupeError } from '../../src/errors.ts';
import { transportConformance } from '../../src/testing/transport-conformance.ts';
import { type InMemoryPeer, openInMemory } from '../../src/transport/in-memory-transport.ts';
import type { LaunchPlan } from '../../src/transport/transport.ts';

const plan: LaunchPlan = {
  command: '/nowhere/claude',
  args: [],
  cwd: '/nowhere',
  env: {},
  mark: 'm',
  temporaryFiles: [],
  keepDescendants: false,
  stderrTailBytes: 1024,
};

describe('a transport in memory', () => {
  for (const { name, run } of transportConformance({ open: openInMemory(obey), plan: () => plan })) it(name, run);
});

describe('an in-memory transport', () => {
  it('shows the opener its transport before the first delivery', async () => {
    const seen: string[] = [];
    const open = openInMemory((peer) => peer.output('hello'));
    await open(plan, { output: () => seen.push('output'), stderr: () => {} });
    seen.push('opened');
    await turns(5);
    expect(seen).toEqual(['opened', 'output']);
  });

  it('delivers later and never within the call', async () => {
    let peer: InMemoryPeer | undefined;
    const seen: string[] = [];
    const open = openInMemory((one) => {
      peer = one;
    });
    const transport = await open(plan, { output: (chunk) => void seen.push(`${chunk}`), stderr: () => {} });
    await turns(5);
    peer?.output('a');
    peer?.output('b');
    expect(seen).toEqual([]);
    await turns(5);
    expect(seen).toEqual(['a', 'b']);

    peer?.onInput((line) => void seen.push(line));
    const written = transport.write('c\n');
    expect(seen).toHaveLength(2);
    await written;
    await turns(5);
    expect(seen).toEqual(['a', 'b', 'c']);
  });

  it('keeps lines for a peer that listens late', async () => {
    const heard: string[] = [];
    let peer: InMemoryPeer | undefined;
    const transport = await openInMemory((one) => {
      peer = one;
    })(plan, { output: () => {}, stderr: () => {} });
    await transport.write('one\n');
    peer?.onInput((line) => void heard.push(line));
    await transport.write('two\n');
    await turns(5);
    expect(heard).toEqual(['one', 'two']);
  });

  it('tells the peer its signals and whether it was killed', async () => {
    let peer: InMemoryPeer | undefined;
    const transport = await openInMemory((one) => {
      peer = one;
    })(plan, { output: () => {}, stderr: () => {} });
    transport.signal('SIGTERM');
    transport.signal('SIGINT');
    expect(peer?.signals).toEqual(['SIGTERM', 'SIGINT']);
    expect(peer?.killed).toBe(false);
    await transport.killTree(0);
    expect(peer?.killed).toBe(true);
  });

  it('fails to open with what the script throws', async () => {
    const open = openInMemory(() => {
      throw new TroupeError('CLI_NOT_FOUND');
    });
    await expect(open(plan, { output: () => {}, stderr: () => {} })).rejects.toMatchObject({ code: 'CLI_NOT_FOUND' });
  });
});

function obey(peer: InMemoryPeer): void {
  peer.onInput((line) => {
    const [, verb, text = ''] = /^(\w+) ?(.*)$/.exec(line) ?? [];
    if (verb === 'say') peer.output(`${text}\n`);
    if (verb === 'complain') peer.stderr(text);
    if (verb === 'leave') peer.exit({ exitCode: Number(text), signal: null });
  });
  void peer.inputEnded.then(() => peer.exit({ exitCode: 0, signal: null }));
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await Promise.resolve();
}
