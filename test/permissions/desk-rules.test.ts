import { describe, expect, it } from 'vitest';
import type { PermissionAnswer } from '../../src/permissions/permission-desk.ts';
import type { PermissionRule } from '../../src/permissions/permission-rule.ts';
import { RuleBook } from '../../src/permissions/rule-book.ts';
import { BASH, bookOf, openDesk } from './desk-harness.ts';

const allow = (tool: string): PermissionRule => ({ tool, behavior: 'allow' });
const deny = (tool: string): PermissionRule => ({ tool, behavior: 'deny' });
const ask = (tool: string): PermissionRule => ({ tool, behavior: 'ask' });
const SUGGESTION = {
  type: 'addRules',
  rules: [{ toolName: 'Bash', ruleContent: 'ls:*' }],
  behavior: 'allow',
  destination: 'localSettings',
};
const asking = (command: string) => ({ ...BASH, input: { command }, permission_suggestions: [SUGGESTION] });

describe('the table of who decides', () => {
  const callback = () => ({ behavior: 'deny' as const, message: 'the callback' });
  const BY = { allowed: { outcome: 'allowed', by: 'policy' }, denied: { outcome: 'denied', by: 'policy' } };
  it.each([
    // What rules say, whether there is a callback, and who decides.
    [[], true, { outcome: 'denied', by: 'callback' }],
    [[], false, 'open'],
    [[allow('Bash')], true, BY.allowed],
    [[allow('Bash')], false, BY.allowed],
    [[deny('Bash')], true, BY.denied],
    [[deny('Bash')], false, BY.denied],
    [[ask('Bash')], true, { outcome: 'denied', by: 'callback' }],
    [[ask('Bash')], false, 'open'],
    [[allow('Bash'), ask('Bash')], true, { outcome: 'denied', by: 'callback' }],
    [[allow('Bash'), ask('Bash')], false, 'open'],
    [[allow('Bash'), deny('Bash')], true, BY.denied],
    [[allow('Bash'), deny('Bash')], false, BY.denied],
    [[allow('Read'), deny('Write')], true, { outcome: 'denied', by: 'callback' }],
    [[allow('Read'), deny('Write')], false, 'open'],
  ])('%j, with a callback: %s', async (rules, hasCallback, decided) => {
    const {
      ask: asked,
      settled,
      desk,
    } = openDesk({ rules: bookOf(rules), ...(hasCallback ? { canUseTool: callback } : {}) });
    await asked('a');
    if (decided === 'open') expect(desk.pending()).toHaveLength(1);
    else expect(settled).toMatchObject([{ id: 'a', settlement: decided }]);
  });

  it('allows by a rule also where nobody is there, and still denies the rest (R37)', async () => {
    const { ask: asked, settled } = openDesk({ rules: bookOf([allow('Bash(ls *)')]), isAttended: false });
    await asked('a');
    await asked('b', asking('rm x'));
    expect(settled).toMatchObject([
      { id: 'a', settlement: { outcome: 'allowed', rule: { tool: 'Bash(ls *)', source: 'session' } } },
      { id: 'b', settlement: { outcome: 'denied', by: 'policy' } },
    ]);
  });

  it('tells the model which rule forbade it, and whoever reads the record (P4)', async () => {
    const { ask: asked, settled, replies } = openDesk({ rules: bookOf([], [deny('Bash(ls *)')]) });
    await asked('a');
    expect(replies.get('a')).toEqual({
      payload: { behavior: 'deny', message: 'The rule "Bash(ls *)" forbids this.' },
    });
    expect(settled).toMatchObject([{ settlement: { by: 'policy', rule: { source: 'supervisor', behavior: 'deny' } } }]);
  });
});

describe('the scope of an answer', () => {
  const answered = async (answer: PermissionAnswer) => {
    const opened = openDesk();
    await opened.ask('first', asking('ls -l'));
    opened.desk.answer('first', answer, 'ann');
    await opened.ask('same', asking('ls -l'));
    await opened.ask('alike', asking('ls -a'));
    await opened.ask('more', asking('ls; rm x'));
    return { ...opened, open: opened.desk.pending().map(({ id }) => id) };
  };

  it('once is for this call', async () => {
    expect((await answered({ behavior: 'allow', scope: 'once' })).open).toEqual(['same', 'alike', 'more']);
    expect((await answered({ behavior: 'allow' })).open).toEqual(['same', 'alike', 'more']);
  });

  it('session is for its like, by our own rules: the CLI is told, and not relied on (WIRE §25.7)', async () => {
    const { open, settled, replies } = await answered({ behavior: 'allow', scope: 'session' });
    expect(open).toEqual(['more']);
    expect(settled.slice(1)).toMatchObject([
      { id: 'same', settlement: { outcome: 'allowed', by: 'policy', rule: { source: 'granted' } } },
      {
        id: 'alike',
        settlement: { outcome: 'allowed', by: 'policy', rule: { tool: 'Bash(ls:*)', source: 'granted' } },
      },
    ]);
    await Promise.resolve();
    expect(replies.get('first')).toMatchObject({
      payload: { updatedPermissions: [{ ...SUGGESTION, destination: 'session' }] },
    });
  });

  it('always also writes it into the settings of the folder', async () => {
    const { open, replies } = await answered({ behavior: 'allow', scope: 'always' });
    expect(open).toEqual(['more']);
    expect(replies.get('first')).toMatchObject({
      payload: { updatedPermissions: [{ destination: 'session' }, { destination: 'localSettings' }] },
    });
  });

  it('is for the changed input only when there is one', async () => {
    const { ask: asked, desk } = openDesk();
    await asked('first', asking('ls -l'));
    desk.answer('first', { behavior: 'allow', scope: 'session', updatedInput: { command: 'ls -1' } }, 'ann');
    await asked('original', asking('ls -l'));
    await asked('changed', asking('ls -1'));
    expect(desk.pending().map(({ id }) => id)).toEqual(['original']);
  });

  it('leaves what lies open already to its own decision (R36)', async () => {
    const { ask: asked, desk } = openDesk();
    await asked('one', asking('ls -l'));
    await asked('two', asking('ls -l'));
    desk.answer('one', { behavior: 'allow', scope: 'session' }, 'ann');
    expect(desk.pending().map(({ id }) => id)).toEqual(['two']);
  });

  it('of a callback counts as well, and is once for a question to the user', async () => {
    const scope = 'session' as const;
    const { ask: asked, settled } = openDesk({ canUseTool: () => ({ behavior: 'allow', scope }) });
    await asked('one');
    await asked('two');
    await asked('plan', { tool_name: 'ExitPlanMode', input: {}, requires_user_interaction: true });
    await asked('plan again', { tool_name: 'ExitPlanMode', input: {}, requires_user_interaction: true });
    expect(settled.map(({ settlement }) => settlement.by)).toEqual(['callback', 'policy', 'callback', 'callback']);
  });
});

describe('rules for what the CLI would run without a question', () => {
  const input = (command: string) => ({ tool_name: 'Bash', tool_input: { command } });

  it('need no hook where nothing is denied or asked', () => {
    expect(openDesk({ rules: bookOf([allow('*')]) }).desk.guard()).toBeUndefined();
  });

  it('stop the call, and the record has it with its rule', async () => {
    const { desk, requested, settled } = openDesk({ rules: bookOf([deny('Bash(rm *)')]) });
    expect(await desk.guard()?.(input('rm x'), 'toolu_1')).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: 'The rule "Bash(rm *)" forbids this.',
      },
    });
    expect(requested).toMatchObject([{ id: 'rule:toolu_1', toolName: 'Bash', toolUseId: 'toolu_1' }]);
    expect(settled).toMatchObject([{ id: 'rule:toolu_1', settlement: { outcome: 'denied', by: 'policy' } }]);
    expect(desk.get('rule:toolu_1')).toMatchObject({ settlement: { outcome: 'denied' } });
  });

  it('make the CLI ask, and leave the rest alone', async () => {
    const { desk, requested } = openDesk({ rules: bookOf([ask('Bash(git push *)'), allow('Bash(ls *)')]) });
    const guard = desk.guard();
    expect(await guard?.(input('git push'), 'toolu_1')).toMatchObject({
      hookSpecificOutput: { permissionDecision: 'ask' },
    });
    expect(await guard?.(input('ls'), 'toolu_2')).toEqual({});
    expect(await guard?.(input('make'), 'toolu_3')).toEqual({});
    expect(await guard?.(null, undefined)).toEqual({});
    expect(requested).toEqual([]);
  });
});

it('fails closed when the rules cannot be applied in time (P5)', async () => {
  const rules = new RuleBook({
    session: [allow('Read(/src/**)')],
    supervisor: [],
    roots: { cwd: '/srv/app', home: '/home/user' },
    realPath: () => new Promise(() => {}),
    maxGrants: 1,
  });
  const { ask: asked, clock, settled, replies } = openDesk({ rules });
  await asked('a', { tool_name: 'Read', input: { file_path: 'src/a' } });
  expect(settled).toEqual([]);
  clock.increment(10_000);
  await asked('b', { tool_name: 'Bash', input: {} });
  expect(settled).toMatchObject([{ id: 'a', settlement: { outcome: 'failed', by: 'policy' } }]);
  expect(replies.get('a')).toHaveProperty('error');
});
