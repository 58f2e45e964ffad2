import { describe, expect, it } from 'vitest';
import { createSdkMcpServer } from '../../../src/index.ts';
import { stage } from './stage.ts';

describe('a change that meets a hibernation', () => {
  it.each(['before', 'after'])('asked for right %s it is kept for the next start (P5, P8)', async (order) => {
    const { start } = await stage();
    const session = await start();
    await session.prompt('hello').result;
    await session.settled();
    const servers = { docs: createSdkMcpServer({ name: 'docs', tools: [] }) };
    const change = () => Promise.all([session.setModel('haiku'), session.setMcpServers(servers)]);
    const changed = order === 'before' ? change() : undefined;
    const asleep = session.hibernate();
    await Promise.all([changed ?? change(), asleep]);
    expect(session.state).toBe('hibernated');
    expect(session.snapshot().settings).toMatchObject({ model: 'haiku', mcpServers: ['docs'] });
    expect(await session.prompt('again').result).toMatchObject({ outcome: 'completed', text: 'Echo: again' });
  });
});
