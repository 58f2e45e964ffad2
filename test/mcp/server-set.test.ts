import { describe, expect, it } from 'vitest';
import type { McpServersOption } from '../../src/launch/mcp-server-options.ts';
import { ServerSet } from '../../src/mcp/server-set.ts';
import { createSdkMcpServer } from '../../src/mcp/tool.ts';

const stdio = (command: string) => ({ command });
const sdk = (name: string) => createSdkMcpServer({ name });

describe('a new set of servers', () => {
  it('replaces all in-process servers, and leaves the external ones of the options (official SDK: setMcpServers)', () => {
    const set = new ServerSet({ calc: sdk('calc'), docs: stdio('docs') });
    const change = apply(set, { mail: sdk('mail') });
    expect(change).toMatchObject({ added: ['mail'], removed: ['calc'] });
    expect(Object.keys(set.servers)).toEqual(['docs', 'mail']);
    expect([set.get('calc'), set.get('docs')]).toEqual([undefined, undefined]);
    expect(set.get('mail')).toBeDefined();
  });

  it('takes away an external server once a call has named it', () => {
    const set = new ServerSet({ docs: stdio('docs') });
    apply(set, { docs: stdio('docs') });
    expect(apply(set, {})).toMatchObject({ removed: ['docs'], requests: [{}] });
    expect(set.servers).toEqual({});
  });

  it('names a server first that the next process only knows from its start, so that it can be taken away (P8)', () => {
    const set = new ServerSet();
    apply(set, { docs: stdio('docs'), mail: stdio('mail') });
    set.launched();
    expect(set.external).toEqual(['docs', 'mail']);
    const change = apply(set, { mail: stdio('mail') });
    expect(change.requests.map((request) => Object.keys(request))).toEqual([['mail', 'docs'], ['mail']]);
    expect(apply(set, {}).requests).toEqual([{}]);
  });

  it('lets go of an in-process server first that another object replaces under its name', () => {
    const set = new ServerSet({ calc: sdk('calc') });
    const change = apply(set, { calc: sdk('calc'), mail: sdk('mail') });
    expect(change.requests.map((request) => Object.keys(request))).toEqual([['mail'], ['calc', 'mail']]);
    expect(change).toMatchObject({ added: ['mail'], removed: [] });
  });

  it('serves its in-process servers before the CLI has answered, and not after it refused', () => {
    const set = new ServerSet();
    const change = set.plan({ calc: sdk('calc') });
    set.expect(change);
    expect(set.get('calc')).toBeDefined();
    set.withdraw();
    expect(set.get('calc')).toBeUndefined();
    expect(set.servers).toEqual({});
  });

  it('knows nothing by the names that every object has (R99)', () => {
    const set = new ServerSet({ calc: sdk('calc') });
    expect(['constructor', '__proto__', 'toString'].map((name) => set.get(name))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('comes one after the other, also when one fails', async () => {
    const set = new ServerSet();
    const order: string[] = [];
    const first = set.inTurn(async () => {
      await Promise.resolve();
      order.push('first');
      throw new Error('refused');
    });
    const second = set.inTurn(async () => order.push('second'));
    await expect(first).rejects.toThrow('refused');
    await second;
    expect(order).toEqual(['first', 'second']);
  });

  it('says how each server is connected again', () => {
    const set = new ServerSet({
      calc: sdk('calc'),
      docs: stdio('docs'),
      once: { ...stdio('once'), reconnect: false },
      often: { ...stdio('often'), reconnect: { attempts: 9 } },
    });
    expect(['calc', 'docs', 'once', 'often', 'none'].map((name) => set.reconnectOf(name))).toEqual([
      undefined,
      {},
      undefined,
      { attempts: 9 },
      undefined,
    ]);
  });
});

function apply(set: ServerSet, next: McpServersOption) {
  const change = set.plan(next);
  set.expect(change);
  set.commit(change);
  return change;
}
