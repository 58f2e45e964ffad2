import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSupervisor, type PermissionRule, type Session } from '../../../src/index.ts';
import { eventOf, stage } from './stage.ts';
import { recorded } from './transcript-of.ts';

const bash = (command: string) => `CALL Bash ${JSON.stringify({ command, description: 'work' })}`;
const allow = (tool: string): PermissionRule => ({ tool, behavior: 'allow' });
const deny = (tool: string): PermissionRule => ({ tool, behavior: 'deny' });
const ask = (tool: string): PermissionRule => ({ tool, behavior: 'ask' });
const QUICK_RESTART = { type: 'transient', backoff: { minMs: 10, maxMs: 20 } } as const;

describe('rules on the real CLI (DESIGN permissions)', () => {
  it('allow a simple command, and leave anything more to whoever is asked', async () => {
    const { start, cwd } = await stage();
    const asked: unknown[] = [];
    const session = await start({
      permissions: { rules: [allow('Bash(touch *)')] },
      canUseTool: (_, { command }) => {
        asked.push(command);
        return { behavior: 'deny', message: 'no' };
      },
    });
    await session.prompt(bash('touch one')).result;
    await session.prompt(bash('touch two && touch three')).result;
    await session.prompt(bash('touch four > five')).result;

    expect(asked).toEqual(['touch two && touch three', 'touch four > five']);
    expect(['one', 'two', 'three', 'four', 'five'].filter((name) => existsSync(join(cwd, name)))).toEqual(['one']);
    expect(await eventOf(session, 'permission.settled')).toMatchObject({
      outcome: 'allowed',
      by: 'policy',
      rule: { tool: 'Bash(touch *)', behavior: 'allow', source: 'session' },
    });
  });

  it.each([
    ['would run by itself', {}],
    ['was allowed by allowedTools', { allowedTools: ['Bash'] }],
    ['was allowed by the callback', { canUseTool: () => ({ behavior: 'allow' as const }) }],
    [
      'would run in bypass mode',
      { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true } as const,
    ],
  ])('deny also what %s, and the record says by which rule', async (_title, options) => {
    // The CLI refuses bypass mode to root outside a sandbox.
    const { start } = await stage({ env: { IS_SANDBOX: '1' } });
    const session = await start({ ...options, permissions: { rules: [deny('Bash(echo secret*)')] } });
    const { text } = await session.prompt(bash('true; echo secret | cat')).result;

    expect(text).toContain('The rule \\"Bash(echo secret*)\\" forbids this.');
    expect(await eventOf(session, 'permission.settled')).toMatchObject({
      outcome: 'denied',
      by: 'policy',
      rule: { tool: 'Bash(echo secret*)', behavior: 'deny' },
    });
    expect((await session.prompt(bash('echo public')).result).text).toContain('public');
  });

  it('make the CLI ask what it would have run', async () => {
    const { start } = await stage();
    const session = await start({ allowedTools: ['Bash'], permissions: { rules: [ask('Bash(echo *)'), allow('*')] } });
    const turn = session.prompt(bash('echo hi'));
    const { requestId } = await eventOf(session, 'permission.requested');
    await session.permissions.answer(requestId, { behavior: 'allow' }, { by: 'ann' });
    expect((await turn.result).text).toContain('hi');
    expect(await eventOf(session, 'permission.settled')).toMatchObject({ requestId, outcome: 'allowed', by: 'ann' });
  });

  it('of the supervisor count for every session, and no session allows what they deny', async () => {
    const { setting } = await stage();
    await using supervisor = createSupervisor({ permissions: { rules: [deny('Bash(touch *)')] } });
    const session = await supervisor.start({ ...setting, permissions: { rules: [allow('*')] } });
    await session.prompt(bash('touch one')).result;
    expect(await eventOf(session, 'permission.settled')).toMatchObject({
      outcome: 'denied',
      rule: { source: 'supervisor' },
    });
    expect(existsSync(join(setting.cwd ?? '', 'one'))).toBe(false);
  });

  it('for files follow links: what leads out of a folder is not in it', async () => {
    const { start, cwd } = await stage();
    mkdirSync(join(cwd, 'src'));
    const outside = join(cwd, '..', 'outside');
    mkdirSync(outside);
    symlinkSync(outside, join(cwd, 'src', 'linked'));
    const asked: unknown[] = [];
    const session = await start({
      permissions: { rules: [allow('Edit(/src/**)')] },
      canUseTool: (_, input) => {
        asked.push(input['file_path']);
        return { behavior: 'deny', message: 'no' };
      },
    });
    const file = (name: string) => `CALL Write ${JSON.stringify({ file_path: join(cwd, name), content: 'x' })}`;
    await session.prompt(file('src/in')).result;
    await session.prompt(file('src/linked/stolen')).result;
    await session.prompt(file('src/../out')).result;

    expect(asked.map((path) => String(path).replace(cwd, ''))).toEqual([
      '/src/linked/stolen',
      expect.stringMatching(/out$/),
    ]);
    expect(readFileSync(join(cwd, 'src', 'in'), 'utf8')).toBe('x');
    expect(existsSync(join(outside, 'stolen'))).toBe(false);
  });
});

describe('the scope of an answer on the real CLI', () => {
  it('session: the same call and its like run without a question, also after a restart (P8)', async () => {
    const { start, cwd, configDir } = await stage();
    const session = await start({ restart: QUICK_RESTART });
    const turn = session.prompt(bash('touch one'));
    const { requestId } = await eventOf(session, 'permission.requested');
    await session.permissions.answer(requestId, { behavior: 'allow', scope: 'session' });
    const { outcome, text = '' } = await turn.result;
    expect(outcome).toBe('completed');
    await recorded(configDir, JSON.stringify(text).slice(1, -1));
    process.kill(session.pid ?? 0, 'SIGKILL');
    await eventOf(session, 'session.restarting');
    expect((await session.prompt(bash('touch one')).result).outcome).toBe('completed');
    expect(session.incarnation).toBe(2);
    expect(existsSync(join(cwd, 'one'))).toBe(true);
    expect(await outcomesOf(session)).toEqual([
      ['allowed', 'api'],
      ['allowed', 'policy'],
    ]);
  });

  it('once: the same call is asked again', async () => {
    let asked = 0;
    const { start } = await stage();
    const session = await start({
      canUseTool: () => {
        asked += 1;
        return { behavior: 'allow', scope: 'once' };
      },
    });
    await session.prompt(bash('touch one')).result;
    await session.prompt(bash('touch one')).result;
    expect(asked).toBe(2);
  });

  it('always: the settings of the folder have the rule', async () => {
    const { start, cwd } = await stage();
    const suggested: unknown[] = [];
    const session = await start({
      canUseTool: (_, __, { suggestions = [] }) => {
        suggested.push(...suggestions);
        return { behavior: 'allow', scope: 'always', decisionClassification: 'user_permanent' };
      },
    });
    await session.prompt(bash('npm run build')).result;
    const settings = JSON.parse(readFileSync(join(cwd, '.claude', 'settings.local.json'), 'utf8'));
    expect(suggested).toContainEqual(expect.objectContaining({ type: 'addRules' }));
    expect(settings.permissions.allow).toContainEqual(expect.stringMatching(/^Bash\(npm run/));
  });
});

describe('allowedTools, disallowedTools and canUseTool together', () => {
  const RUNS = { ran: true, asked: 0 };
  const BLOCKED = { ran: false, asked: 0 };
  it.each([
    [{}, 'nobody', BLOCKED],
    [{}, 'allows', { ran: true, asked: 1 }],
    [{}, 'denies', { ran: false, asked: 1 }],
    [{ allowedTools: ['Bash'] }, 'nobody', RUNS],
    [{ allowedTools: ['Bash'] }, 'allows', RUNS],
    [{ allowedTools: ['Bash'] }, 'denies', RUNS],
    [{ allowedTools: ['Bash(touch:*)'] }, 'denies', RUNS],
    [{ allowedTools: ['Bash(mkdir:*)'] }, 'allows', { ran: true, asked: 1 }],
    [{ disallowedTools: ['Bash'] }, 'nobody', BLOCKED],
    [{ disallowedTools: ['Bash'] }, 'allows', BLOCKED],
    [{ disallowedTools: ['Bash(touch:*)'] }, 'nobody', BLOCKED],
    [{ disallowedTools: ['Bash(touch:*)'] }, 'allows', BLOCKED],
    [{ allowedTools: ['Bash'], disallowedTools: ['Bash(touch:*)'] }, 'nobody', BLOCKED],
    [{ allowedTools: ['Bash'], disallowedTools: ['Bash(touch:*)'] }, 'allows', BLOCKED],
  ] as const)('%j, and the callback: %s', async (lists, callback, expected) => {
    const { start, cwd } = await stage();
    let asked = 0;
    const answer = callback === 'allows' ? ({ behavior: 'allow' } as const) : ({ behavior: 'deny' } as const);
    const canUseTool = () => {
      asked += 1;
      return answer;
    };
    const session = await start({
      ...lists,
      ...(callback === 'nobody' ? { permissionPrompts: 'none' } : { canUseTool }),
    });
    expect((await session.prompt(bash('touch made')).result).outcome).toBe('completed');
    expect({ ran: existsSync(join(cwd, 'made')), asked }).toEqual(expected);
  });

  it('the same tool in both lists is refused at the start', async () => {
    const { start } = await stage();
    await expect(start({ allowedTools: ['Bash'], disallowedTools: ['Bash'] })).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      details: { field: 'allowedTools[0]' },
    });
  });
});

async function outcomesOf(session: Session): Promise<[string, string][]> {
  const outcomes: [string, string][] = [];
  for await (const event of session.events()) {
    if (event.type === 'replay.completed') break;
    if (event.type === 'permission.settled') outcomes.push([event.outcome, event.by]);
  }
  return outcomes;
}
