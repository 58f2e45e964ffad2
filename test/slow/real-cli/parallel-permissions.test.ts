import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSdkMcpServer, type Session, tool } from '../../../src/index.ts';
import { eventOf, stage } from './stage.ts';
import { linesOf, userTexts } from './transcript-of.ts';

const write = (name: string) => ({ name: 'Bash', input: { command: `echo hi > ${name}`, description: name } });
const calls = (...list: readonly object[]) => `CALLS ${JSON.stringify(list)}`;

const NAMES = ['one', 'two', 'three'];
const READS = NAMES.map((name) => ({ name: `mcp__library__${name}` }));

/** Tools that the CLI takes to be safe beside each other, because they only read. */
function library() {
  const read = (name: string) => {
    const answer = async () => ({ content: [{ type: 'text' as const, text: `read ${name}` }] });
    return tool(name, 'Reads.', {}, answer, { annotations: { readOnlyHint: true } });
  };
  return createSdkMcpServer({ name: 'library', tools: NAMES.map(read) });
}

async function pendingTools(session: Session, count: number): Promise<(string | undefined)[]> {
  const names = () => session.permissions.pending().map(({ toolName }) => toolName);
  await expect.poll(names, { timeout: 20_000 }).toHaveLength(count);
  return names();
}

describe('calls of one answer on the real CLI (WIRE §6)', () => {
  it('that write are asked about one after the other', async () => {
    const { start, cwd } = await stage();
    const session = await start();
    const turn = session.prompt(calls(write('first'), write('second')));
    await pendingTools(session, 1);
    expect(existsSync(join(cwd, 'first'))).toBe(false);
    const [first] = session.permissions.pending();
    await session.permissions.answer(first?.id ?? '', { behavior: 'allow' });
    const { requestId } = await eventOf(session, 'permission.requested', (event) => event.requestId !== first?.id);
    expect([existsSync(join(cwd, 'first')), existsSync(join(cwd, 'second'))]).toEqual([true, false]);
    await session.permissions.answer(requestId, { behavior: 'allow' });

    expect((await turn.result).outcome).toBe('completed');
    expect(existsSync(join(cwd, 'second'))).toBe(true);
  });

  it('that only read are asked about at the same time, and may be answered in reverse, each for itself (R25, R36, P4)', async () => {
    const { start } = await stage();
    const session = await start({ mcpServers: { library: library() } });
    const turn = session.prompt(calls(...READS));
    expect(await pendingTools(session, 3)).toEqual(READS.map(({ name }) => name));
    for (const { id, toolName } of session.permissions.pending().toReversed()) {
      const isFirst = toolName === READS[0]?.name;
      await session.permissions.answer(id, isFirst ? { behavior: 'deny', message: 'not one' } : { behavior: 'allow' });
    }

    const { text, permissionDenials } = await turn.result;
    expect(permissionDenials).toBe(1);
    for (const said of ['not one', 'read two', 'read three']) expect(text).toContain(said);
  });

  it('are all taken back by an interrupt, and each gets a result all the same (R26)', async () => {
    const { start } = await stage();
    const session = await start({ mcpServers: { library: library() } });
    const turn = session.prompt(calls(...READS, write('fourth')));
    await pendingTools(session, 3);
    const ids = session.permissions.pending().map(({ id }) => id);
    await session.interrupt();

    expect((await turn.result).outcome).toBe('interrupted');
    expect(session.permissions.pending()).toEqual([]);
    for (const id of ids) {
      expect(session.permissions.get(id)?.settlement).toEqual({ outcome: 'cancelled', by: 'agent' });
      await expect(session.permissions.answer(id, { behavior: 'allow' })).rejects.toMatchObject({
        code: 'PERMISSION_SETTLED',
        details: { outcome: 'cancelled' },
      });
    }
    const results = userTexts(await linesOf(session)).filter((text) => text.includes('tool_result'));
    expect(results.join().match(/"is_error":true/g)).toHaveLength(4);
    expect((await session.prompt('still there?').result).outcome).toBe('completed');
  });

  it('are ended together by a deny that ends the turn (WIRE §5)', async () => {
    const { start } = await stage();
    const session = await start({ mcpServers: { library: library() } });
    const turn = session.prompt(calls(...READS));
    await pendingTools(session, 3);
    const [first, ...others] = session.permissions.pending();
    await session.permissions.answer(first?.id ?? '', { behavior: 'deny', message: 'no', interrupt: true });

    expect((await turn.result).outcome).toBe('interrupted');
    await expect.poll(() => session.permissions.pending()).toEqual([]);
    const outcomes = others.map(({ id }) => session.permissions.get(id)?.settlement?.outcome);
    expect(outcomes).toEqual(['cancelled', 'cancelled']);
    expect((await session.prompt('next').result).outcome).toBe('completed');
  });
});

describe('questions that end before somebody answers', () => {
  it('of a subagent is taken back with the turn, and names the agent (WIRE §6, §17)', async () => {
    const { start } = await stage();
    const session = await start();
    const prompt = `CALL Bash ${JSON.stringify(write('sub').input)}`;
    const job = { description: 'work', prompt, subagent_type: 'general-purpose', run_in_background: false };
    const turn = session.prompt(`CALL Task ${JSON.stringify(job)}`);
    await pendingTools(session, 1);
    const [question] = session.permissions.pending();
    expect(question).toMatchObject({ toolName: 'Bash', agentId: expect.stringMatching(/./) });
    await session.interrupt();

    expect((await turn.result).outcome).toBe('interrupted');
    expect(session.permissions.get(question?.id ?? '')?.settlement?.outcome).toBe('cancelled');
  });

  it('in the mode dontAsk asks nobody: the CLI denies, says so, and goes on (WIRE §5)', async () => {
    const { start, cwd } = await stage();
    const asked: string[] = [];
    const session = await start({
      permissionMode: 'dontAsk',
      canUseTool: async (toolName) => {
        asked.push(toolName);
        return { behavior: 'allow' };
      },
    });
    const result = await session.prompt(`CALL Bash ${JSON.stringify(write('never').input)}`).result;

    expect(result.outcome).toBe('completed');
    expect([asked, existsSync(join(cwd, 'never'))]).toEqual([[], false]);
    const lines = await linesOf(session);
    expect(lines).toContainEqual(expect.objectContaining({ subtype: 'permission_denied', tool_name: 'Bash' }));
  });
});
