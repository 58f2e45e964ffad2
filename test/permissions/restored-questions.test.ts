import { setImmediate as nextLoop } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { PermissionDeskOptions } from '../../src/permissions/permission-desk-options.ts';
import type { PermissionRecord } from '../../src/store/store-record.ts';
import { BASH, bookOf, openDesk } from './desk-harness.ts';

const ALLOW = { behavior: 'allow' } as const;
const AGAIN = { ...BASH, tool_use_id: 'toolu_9' };
const OTHER = { ...BASH, input: { command: 'rm -r build' } };

describe('a question whose host was lost', () => {
  it('lies open under its id, as it was shown, before any process asks it (P4)', async () => {
    const { desk } = await restored(await asked([BASH]));

    expect(desk.pending()).toEqual([
      expect.objectContaining({ id: 'r1', toolName: 'Bash', input: { command: 'ls' }, toolUseId: 'toolu_1' }),
    ]);
    expect(desk.askedAs('r1')).toBeUndefined();
  });

  it('is the same when a process asks again with the same tool and input: one request, one answer (P4)', async () => {
    const { desk, requested, told, settled, replies, ask } = await restored(await asked([BASH]));
    await ask('n1', AGAIN);
    expect([told, requested, desk.askedAs('r1')]).toEqual([['rebound r1'], [], 'n1']);

    desk.answer('r1', ALLOW, 'ada');
    await nextLoop();
    expect(replies.get('n1')).toEqual({ payload: { behavior: 'allow', updatedInput: BASH.input } });
    expect(settled.map(({ id, settlement }) => [id, settlement.outcome])).toEqual([['r1', 'allowed']]);
    expect(() => desk.answer('r1', ALLOW, 'bob')).toThrow(expect.objectContaining({ code: 'PERMISSION_SETTLED' }));
  });

  it('may be answered before: the answer is kept, and given once to the process that asks', async () => {
    const { desk, told, requested, replies, ask } = await restored(await asked([BASH]));
    desk.answer('r1', { behavior: 'allow', updatedInput: { command: 'pwd' } }, 'ada');
    expect([desk.pending(), desk.record('r1')?.isUnheard]).toEqual([[], true]);

    await ask('n1', AGAIN);
    expect(replies.get('n1')).toEqual({ payload: { behavior: 'allow', updatedInput: { command: 'pwd' } } });
    expect([told, desk.record('r1')?.isUnheard]).toEqual([['rebound r1'], undefined]);

    await ask('n2', AGAIN);
    expect(requested.map(({ id }) => id)).toEqual(['n2']);
    expect(replies.get('n2')).toBeUndefined();
  });

  it('keeps an answer that no process has heard over another loss of the host, and gives it once', async () => {
    const first = await restored(await asked([BASH]));
    first.desk.answer('r1', ALLOW, 'ada');
    const second = await restored(recordsOf(first.desk, ['r1']));
    await second.ask('n1', AGAIN);
    expect(second.replies.get('n1')).toMatchObject({ payload: { behavior: 'allow' } });

    const third = await restored(recordsOf(second.desk, ['r1']));
    await third.ask('n2', AGAIN);
    expect(third.desk.pending().map(({ id }) => id)).toEqual(['n2']);
  });

  it('whose decision had gone out is a new one when it is asked again: the tool may have run (P4)', async () => {
    const former = openDesk();
    await former.ask('r1', BASH);
    former.desk.answer('r1', ALLOW, 'ada');
    const { desk, requested, replies, ask } = await restored(recordsOf(former.desk, ['r1']));
    await ask('n1', AGAIN);

    expect(requested.map(({ id }) => id)).toEqual(['n1']);
    expect(replies.size).toBe(0);
    expect(desk.get('r1')?.settlement).toMatchObject({ outcome: 'allowed', by: 'ada' });
    expect(() => desk.answer('r1', ALLOW, 'bob')).toThrow(expect.objectContaining({ code: 'PERMISSION_SETTLED' }));
  });

  it('is another one when anything of the input differs', async () => {
    const { desk, requested, ask } = await restored(await asked([BASH]));
    await ask('n1', OTHER);

    expect(requested.map(({ id }) => id)).toEqual(['n1']);
    expect(desk.pending().map(({ id }) => id)).toEqual(['r1', 'n1']);
  });

  it('is the same whatever order its fields have, and however the CLI describes the command', async () => {
    const { told, ask } = await restored(
      await asked([{ ...BASH, input: { command: 'ls', timeout: 5, description: 'a' } }]),
    );
    await ask('n1', { ...AGAIN, input: { description: 'List files', timeout: 5, command: 'ls' } });

    expect(told).toEqual(['rebound r1']);
  });

  it('finds its turn among equals: they are bound in the order of asking, answered or not', async () => {
    const { desk, replies, told, ask } = await restored(await asked([BASH, BASH, BASH]));
    desk.answer('r2', { behavior: 'deny', message: 'Not you.' }, 'ada');
    for (const id of ['n1', 'n2', 'n3', 'n4']) await ask(id, AGAIN);

    expect(told).toEqual(['rebound r1', 'rebound r2', 'rebound r3']);
    expect([desk.askedAs('r1'), desk.askedAs('r3'), desk.askedAs('n4')]).toEqual(['n1', 'n3', 'n4']);
    expect(replies.get('n2')).toEqual({ payload: { behavior: 'deny', message: 'Not you.' } });
  });

  it('that nobody asks again is cancelled with its process, and was decided by nobody (P4)', async () => {
    const { desk, settled } = await restored(await asked([BASH]));
    desk.loseUnasked();

    const lost = { outcome: 'cancelled', by: 'session', reason: 'process lost' };
    expect(settled).toEqual([{ id: 'r1', settlement: lost }]);
    expect(desk.record('r1')).toMatchObject({ state: 'settled', decision: { outcome: 'cancelled', by: 'session' } });
  });

  it('ends like that, too, when the new process is lost before it asked; what it asked is withdrawn', async () => {
    const { desk, settled, ask } = await restored(await asked([BASH, OTHER]));
    await ask('n1', OTHER);
    desk.withdrawAll('The CLI process is gone.');

    expect(settled.map(({ id, settlement }) => [id, settlement.outcome])).toEqual([
      ['r1', 'cancelled'],
      ['r2', 'withdrawn'],
    ]);
  });

  it('that was answered and is not asked again is told: the answer was given to nobody, and never will be (P6)', async () => {
    const { desk, told, requested, ask } = await restored(await asked([BASH]));
    desk.answer('r1', ALLOW, 'ada');
    desk.loseUnasked();
    await ask('n1', AGAIN);

    expect([told, requested.map(({ id }) => id)]).toEqual([['unheard r1'], ['n1']]);
    expect(desk.record('r1')?.isUnheard).toBeUndefined();
  });

  it('expires at the moment it was to, though its host was lost meanwhile (P5)', async () => {
    const records = await asked([BASH], { deadlineMs: 60_000 });
    expect(records[0]?.expiresAt).toBe(60_000);
    const { desk, clock, settled } = await restored(records, { deadlineMs: 999_000 }, 45_000);
    expect(desk.deadlines()).toEqual([expect.objectContaining({ at: 60_000 })]);

    clock.increment(14_999);
    expect(settled).toEqual([]);
    clock.increment(1);
    expect(settled).toEqual([{ id: 'r1', settlement: expect.objectContaining({ outcome: 'expired' }) }]);
  });

  it('that expired while no host was there is refused at once, and so is whoever asks it again', async () => {
    const { clock, settled, replies, ask } = await restored(await asked([BASH], { deadlineMs: 60_000 }), {}, 90_000);
    clock.increment(0);
    expect(settled).toEqual([{ id: 'r1', settlement: expect.objectContaining({ outcome: 'expired' }) }]);

    await ask('n1', AGAIN);
    expect(replies.get('n1')).toMatchObject({ payload: { behavior: 'deny' } });
  });

  it('is put to the rules and to the callback when a process asks it, and not before', async () => {
    const calls: string[] = [];
    const canUseTool: PermissionDeskOptions['canUseTool'] = (toolName) => {
      calls.push(toolName);
      return ALLOW;
    };
    const called = await restored(await asked([BASH]), { canUseTool });
    const rules = bookOf([{ tool: 'Bash(ls)', behavior: 'deny' }]);
    const ruled = await restored(await asked([BASH]), { rules, canUseTool });
    await nextLoop();
    expect(calls).toEqual([]);

    await called.ask('n1', AGAIN);
    await ruled.ask('n1', AGAIN);
    await nextLoop();
    expect(called.settled[0]).toMatchObject({ id: 'r1', settlement: { outcome: 'allowed', by: 'callback' } });
    expect(ruled.settled[0]).toMatchObject({ id: 'r1', settlement: { outcome: 'denied', by: 'policy', rule: {} } });
    expect(calls).toEqual(['Bash']);
  });

  it('can be taken back by the process that asks it', async () => {
    const { desk, settled, ask } = await restored(await asked([BASH]));
    (await ask('n1', AGAIN)).abort();

    expect([desk.pending(), settled]).toEqual([[], [{ id: 'r1', settlement: { outcome: 'cancelled', by: 'agent' } }]]);
  });

  it('grants what was shown, whatever the process suggests when it asks again (P11)', async () => {
    const shown = suggestion('Bash', 'ls:*');
    const { desk, replies, ask } = await restored(await asked([{ ...BASH, permission_suggestions: [shown] }]));
    await ask('n1', { ...AGAIN, permission_suggestions: [suggestion('Bash', '*')] });
    desk.answer('r1', { behavior: 'allow', scope: 'always' }, 'ada');
    await nextLoop();

    expect(JSON.stringify(replies.get('n1'))).toContain('ls:*');
    expect(JSON.stringify(replies.get('n1'))).not.toContain('"ruleContent":"*"');
  });
});

describe('other kinds of questions', () => {
  it('an elicitation and a dialog are known again by what they ask', async () => {
    const elicitation = { mcp_server_name: 'docs', message: 'Which?', elicitation_id: 'e1' };
    const dialog = { dialog_kind: 'refusal', payload: { text: 'No.' }, tool_use_id: 'toolu_1' };
    const options = { dialogKinds: ['refusal'] };
    const former = openDesk(options);
    void former.desk.elicit('r1', elicitation, new AbortController().signal);
    void former.desk.showDialog('r2', dialog, new AbortController().signal);
    await nextLoop();
    const { desk, told } = await restored(recordsOf(former.desk, ['r1', 'r2']), options);
    const elicited = desk.elicit('n1', { ...elicitation, elicitation_id: 'e2' }, new AbortController().signal);
    const shown = desk.showDialog('n2', { ...dialog, tool_use_id: 'toolu_2' }, new AbortController().signal);
    desk.answer('r1', { action: 'decline' }, 'ada');
    desk.answer('r2', { behavior: 'completed', result: 'ok' }, 'ada');

    expect(told).toEqual(['rebound r1', 'rebound r2']);
    expect(await elicited).toEqual({ action: 'decline' });
    expect(await shown).toEqual({ behavior: 'completed', result: 'ok' });
  });

  it('an interrupted turn withdraws the elicitations of its process, and none that no process has asked again', async () => {
    const { desk, settled } = await restored(await elicited());
    desk.withdrawAll('Its turn was interrupted.', 'elicitation');
    expect(settled).toEqual([]);

    void desk.elicit('n1', ELICITATION, new AbortController().signal).catch(() => {});
    desk.withdrawAll('Its turn was interrupted.', 'elicitation');
    expect(settled).toEqual([{ id: 'r1', settlement: expect.objectContaining({ outcome: 'withdrawn' }) }]);
  });

  it('a record that this release would not have written is left out', async () => {
    const [record] = await asked([BASH]);
    if (record === undefined) throw new Error('It was not asked.');
    const { desk } = await restored([
      { ...record, question: 'Bash?' },
      { ...record, id: 'r2', state: 'settled' },
      { ...record, question: { kind: 'tool', id: 'r3', askedAt: 1 } },
    ]);

    expect(desk.pending()).toEqual([]);
  });
});

describe('grants', () => {
  it('outlive the host: the call that was granted, and the rules that were offered, are not asked about again', async () => {
    const former = bookOf([]);
    former.grant('Bash', { command: 'ls -la', description: 'List' }, ['Read(/src/**)', 'Bash(']);
    const book = bookOf([]);
    book.restoreGrants(JSON.parse(JSON.stringify(former.grants())));

    expect(await book.judge('Bash', { command: 'ls -la' }, false)).toMatchObject({ behavior: 'allow' });
    expect(await book.judge('Read', { file_path: '/srv/app/src/a.ts' }, false)).toMatchObject({ behavior: 'allow' });
    expect(await book.judge('Bash', { command: 'ls -l' }, false)).toBeUndefined();
    expect(book.grants()).toEqual(former.grants());
  });

  it('are taken up by the desk, and what is none is left out: it is asked about again', async () => {
    const { desk, replies, ask } = openDesk({ rules: bookOf([]) });
    desk.restoreGrants([{ tool: 'Bash(ls)' }, { tool: 'Bash(' }, { tool: 5 }, 'Bash', { toolName: 'Bash' }]);
    expect(desk.grants()).toEqual([{ tool: 'Bash(ls)' }]);

    await ask('r1', BASH);
    await nextLoop();
    expect(replies.get('r1')).toMatchObject({ payload: { behavior: 'allow' } });
    desk.restoreGrants(undefined);
    expect(desk.grants()).toEqual([]);
  });
});

const ELICITATION = { mcp_server_name: 'docs', message: 'Which?' };

/** The record of an elicitation that lies open when its host is lost. */
async function elicited(): Promise<PermissionRecord[]> {
  const { desk } = openDesk();
  void desk.elicit('r1', ELICITATION, new AbortController().signal).catch(() => {});
  await nextLoop();
  return recordsOf(desk, ['r1']);
}

function suggestion(toolName: string, ruleContent: string) {
  return { type: 'addRules', rules: [{ toolName, ruleContent }], behavior: 'allow', destination: 'localSettings' };
}

/** The records of questions that lie open when their host is lost: r1, r2, … */
async function asked(
  wires: readonly Readonly<Record<string, unknown>>[],
  options: Partial<PermissionDeskOptions> = {},
) {
  const { desk, ask } = openDesk(options);
  const ids = wires.map((_, index) => `r${index + 1}`);
  for (const [index, id] of ids.entries()) await ask(id, wires[index]);
  return recordsOf(desk, ids);
}

/** What a store gives back is JSON. */
function recordsOf(desk: ReturnType<typeof openDesk>['desk'], ids: readonly string[]): PermissionRecord[] {
  return ids.map((id) => {
    const record = desk.record(id);
    const copy: PermissionRecord = JSON.parse(JSON.stringify(record));
    expect(copy).toStrictEqual(record);
    return copy;
  });
}

/** Another host, at that moment. */
async function restored(records: readonly PermissionRecord[], options: Partial<PermissionDeskOptions> = {}, now = 0) {
  const opened = openDesk(options);
  opened.clock.increment(now);
  opened.desk.restore(records);
  await nextLoop();
  return opened;
}
