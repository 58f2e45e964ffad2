import { describe, expect, it } from 'vitest';
import type { Group, GroupOptions, Supervisor } from '../../../src/index.ts';
import { on, step, when } from '../../../src/testing/fake-cli/scenario.ts';
import { errorFrom, kept, reaches, stage } from './stage.ts';

const DIES = [on(when.prompt('die'), step.killSelf('SIGKILL')), on(when.prompt('long'), step.delay(60_000))];
const THREE = [{ id: 'a' }, { id: 'b' }, { id: 'c' }] as const;
/** Only the second process of all dies when it is told to: the next one takes the same prompt. */
const SECOND_DIES = { perStart: [{}, { rules: DIES }, {}] };

describe('a group', () => {
  it('starts its children in order and stops them in reverse, one after the other (SEMANTICS, OTP)', async () => {
    const { supervisor } = await stage();
    const order = orderOf(supervisor);
    const group = await supervisor.group({ id: 'team', children: THREE });

    expect(order.splice(0)).toEqual(['a started', 'b started', 'c started']);
    expect(group.children().map(({ id, status, state }) => [id, status, state])).toEqual([
      ['a', 'up', 'ready'],
      ['b', 'up', 'ready'],
      ['c', 'up', 'ready'],
    ]);
    await group.close();
    expect(order).toEqual(['c ended', 'b ended', 'a ended']);
    expect(supervisor.list()).toEqual([]);
    expect(supervisor.groups()).toEqual([]);
  });

  it('whose start fails ends what was started, in reverse, and says why; its ids are free again', async () => {
    const { supervisor } = await stage();
    const order = orderOf(supervisor);
    const children = [{ id: 'a' }, { id: 'b' }, { id: 'c', pathToClaudeCodeExecutable: '/nowhere/claude' }];

    expect((await errorFrom(supervisor.group({ id: 'team', children }))).code).toBe('CLI_NOT_FOUND');
    expect(order.filter((entry) => !entry.startsWith('c') && !entry.endsWith('held'))).toEqual([
      'a started',
      'b started',
      'b ended',
      'a ended',
    ]);
    await supervisor.group({ id: 'team', children: THREE });
  });

  it.each([
    ['one_for_one', ['b'], []],
    ['rest_for_one', ['b', 'c'], ['c']],
    ['one_for_all', ['a', 'b', 'c'], ['c', 'a']],
  ] as const)('restarts by %s after a crash of the second: %j', async (strategy, restarted, held) => {
    const { supervisor } = await stage(SECOND_DIES);
    const group = await supervisor.group({ strategy, children: THREE });
    const order = orderOf(supervisor);
    const told: unknown[] = [];
    supervisor.on('event', (event) => event.type === 'group.restarting' && told.push(event));
    sessionOf(group, 'b').prompt('die');
    await Promise.all(restarted.map((id) => reaches(sessionOf(group, id), 'ready', 2)));

    expect(order.filter((entry) => entry.endsWith('held') && !entry.startsWith('b'))).toEqual(
      held.map((id) => `${id} held`),
    );
    expect(order.filter((entry) => entry.endsWith('started'))).toEqual(restarted.map((id) => `${id} started`));
    expect(told).toEqual([
      expect.objectContaining({
        child: 'b',
        cause: expect.objectContaining({ code: 'CLI_EXITED' }),
        start: restarted,
        restarts: 1,
      }),
    ]);
    const incarnations = THREE.map(({ id }) => sessionOf(group, id).incarnation);
    expect(incarnations).toEqual(THREE.map(({ id }) => (restarted.some((one) => one === id) ? 2 : 1)));
  });

  it('keeps the prompts of those that are restarted with another: each ends exactly once (P2)', async () => {
    const { supervisor } = await stage(SECOND_DIES);
    const group = await supervisor.group({ strategy: 'one_for_all', children: THREE });
    const answers = ['a', 'c'].map((id) => sessionOf(group, id).prompt('hello').result);
    const killed = sessionOf(group, 'b').prompt('die');
    const results = await Promise.all(answers);

    expect(results.map(({ outcome }) => outcome)).toEqual(['completed', 'completed']);
    expect((await killed.result).outcome).toBe('completed');
    for (const id of ['a', 'c']) {
      expect((await kept(sessionOf(group, id))).filter(({ type }) => type === 'prompt.ended')).toHaveLength(1);
    }
  });

  it('that gives up is set aside with everything in it, says why, and starts again by hand (P8)', async () => {
    const { supervisor } = await stage({ perStart: [{}, { rules: DIES }, { rules: DIES }, {}, {}] });
    const group = await supervisor.group({
      id: 'team',
      strategy: 'rest_for_one',
      intensity: 0,
      children: [{ id: 'a' }, { id: 'b' }],
    });
    const session = sessionOf(group, 'b');
    const turn = session.prompt('die');
    await reaches(session, 'quarantined');

    expect(group.explain()).toMatchObject({ state: 'quarantined', restarts: { count: 1, intensity: 0 } });
    expect(group.explain().because).toMatch(/SIGKILL/);
    expect(group.children().map(({ state }) => state)).toEqual(['quarantined', 'quarantined']);
    expect((await turn.result).outcome).not.toBe('completed');
    expect(() => session.prompt('more')).toThrow(expect.objectContaining({ code: 'SESSION_QUARANTINED' }));
    expect(supervisor.session('a')).toBe(sessionOf(group, 'a'));
    await group.start();

    expect(group.explain()).toMatchObject({ state: 'running', restarts: { count: 0 } });
    expect((await session.prompt('hello').result).outcome).toBe('completed');
  });

  it('ends by itself when its last significant child has, and not before (SEMANTICS, auto_shutdown)', async () => {
    const { supervisor } = await stage();
    const group = await supervisor.group({
      autoShutdown: 'all_significant',
      children: [{ id: 'a' }, { id: 'b', significant: true }, { id: 'c', significant: true }],
    });
    await sessionOf(group, 'c').close();
    expect(group.children().map(({ id, status }) => [id, status])).toEqual([
      ['a', 'up'],
      ['b', 'up'],
      ['c', 'ended'],
    ]);
    await sessionOf(group, 'b').close();

    expect(await group.ended).toEqual({ error: undefined });
    expect(supervisor.list()).toEqual([]);
  });

  it('of groups: the inner one gives up, the outer one restarts it, and its sessions go on (SEMANTICS, OTP)', async () => {
    const { supervisor } = await stage({ perStart: [{ rules: DIES }, {}] });
    const outer = await supervisor.group({
      id: 'outer',
      children: [{ id: 'inner', intensity: 0, children: [{ id: 'a' }], restart: { type: 'permanent' } }],
    });
    const inner = outer.group('inner');
    if (inner === undefined) throw new Error('There is no inner group.');
    const session = sessionOf(inner, 'a');
    const turn = session.prompt('die');

    expect((await turn.result).outcome).toBe('completed');
    expect(session.incarnation).toBe(2);
    expect(outer.explain()).toMatchObject({ state: 'running', restarts: { count: 1 } });
    expect(inner.explain()).toMatchObject({ state: 'running', restarts: { count: 0 } });
    await supervisor.shutdown();
    expect([outer.state, inner.state]).toEqual(['stopped', 'stopped']);
  });
});

describe('the children of a group', () => {
  it('are added, taken down, started again and deleted by the rules of OTP', async () => {
    const { supervisor } = await stage();
    const group = await supervisor.group({ children: [{ id: 'a' }] });
    expect(await group.startChild({ id: 'b' })).toMatchObject({ id: 'b', status: 'up', state: 'ready' });
    const session = sessionOf(group, 'b');
    await session.prompt('hello').result;

    expect((await errorFrom(group.startChild({ id: 'b' }))).code).toBe('SESSION_EXISTS');
    expect((await errorFrom(group.restartChild('b'))).code).toBe('CHILD_RUNNING');
    expect((await errorFrom(group.deleteChild('b'))).code).toBe('CHILD_RUNNING');
    expect((await errorFrom(group.terminateChild('x'))).code).toBe('CHILD_NOT_FOUND');
    await group.terminateChild('b');
    expect([session.state, session.pid]).toEqual(['held', undefined]);
    await group.restartChild('b');
    expect([session.state, session.incarnation]).toEqual(['ready', 2]);
    await group.terminateChild('b');
    await group.deleteChild('b');

    expect(group.children().map(({ id }) => id)).toEqual(['a']);
    expect(supervisor.session('b')).toBeUndefined();
    await group.startChild({ id: 'b' });
  });

  it('that cannot be started are none, and leave nothing behind', async () => {
    const { supervisor } = await stage();
    const group = await supervisor.group({ children: [] });
    const child = { id: 'a', pathToClaudeCodeExecutable: '/nowhere/claude' };

    expect((await errorFrom(group.startChild(child))).code).toBe('CLI_NOT_FOUND');
    expect(group.children()).toEqual([]);
    await group.startChild({ id: 'a' });
  });

  it('that are temporary are forgotten when they end (SEMANTICS, OTP)', async () => {
    const { supervisor } = await stage({ rules: DIES });
    const group = await supervisor.group({ children: [{ id: 'a', restart: { type: 'temporary' } }] });
    const session = sessionOf(group, 'a');
    session.prompt('die');
    await session.ended;

    expect(group.children()).toEqual([]);
    expect(group.state).toBe('running');
  });

  it('that are permanent are started anew under their id, with their conversation, after their owner closed them', async () => {
    const { supervisor, fake } = await stage();
    const group = await supervisor.group({ children: [{ id: 'a', restart: { type: 'permanent' } }] });
    const first = sessionOf(group, 'a');
    await first.prompt('hello').result;
    await first.close();
    while (sessionOf(group, 'a') === first) await new Promise(setImmediate);
    const second = sessionOf(group, 'a');
    await reaches(second, 'ready');

    expect(supervisor.session('a')).toBe(second);
    expect((await fake.starts()).at(-1)?.argv).toContain(`--resume=${first.conversationId}`);
  });
});

describe('the options of a group', () => {
  it.each([
    [{}, 'children'],
    [{ children: 'a' }, 'children'],
    [{ children: [7] }, 'children[0]'],
    [{ children: [], strategie: 'one_for_one' }, 'strategie'],
    [{ children: [], strategy: 'all' }, 'strategy'],
    [{ children: [], intensity: -1 }, 'intensity'],
    [{ children: [{ modell: 'x' }] }, 'children[0].modell'],
    [{ children: [{ children: [{ maxTurns: 'x' }] }] }, 'children[0].children[0].maxTurns'],
    [{ children: [{ autoStart: false }] }, 'children[0].autoStart'],
    [{ children: [{ restart: { intensity: 1 } }] }, 'children[0].restart.intensity'],
    [{ children: [{ significant: true }] }, 'children[0].significant'],
    [
      { autoShutdown: 'any_significant', children: [{ significant: true, restart: { type: 'permanent' } }] },
      'children[0].significant',
    ],
  ])('%j are refused by the field (INVALID_OPTIONS)', async (options, field) => {
    const { supervisor } = await stage();
    const error = await errorFrom(supervisor.group(options as unknown as GroupOptions));

    expect([error.code, error.details['field']]).toEqual(['INVALID_OPTIONS', field]);
    expect(supervisor.groups()).toEqual([]);
  });

  it('must not use an id twice, nor nest without end', async () => {
    const { supervisor } = await stage();
    const circle: { children: unknown[] } = { children: [] };
    circle.children.push(circle);

    expect((await errorFrom(supervisor.group({ children: [{ id: 'a' }, { id: 'a' }] }))).code).toBe('SESSION_EXISTS');
    expect((await errorFrom(supervisor.group(circle as unknown as GroupOptions))).code).toBe('INVALID_OPTIONS');
    await supervisor.group({ children: [{ id: 'a' }] });
  });
});

function sessionOf(group: Group, id: string) {
  const session = group.session(id);
  if (session === undefined) throw new Error(`There is no session ${id}.`);
  return session;
}

/** What happened to processes of the group, in order. */
function orderOf(supervisor: Supervisor): string[] {
  const order: string[] = [];
  const words: Partial<Record<string, string>> = { 'session.started': 'started', 'session.ended': 'ended' };
  supervisor.on('event', (event) => {
    const word = event.type === 'session.state-changed' && event.state === 'held' ? 'held' : words[event.type];
    if (word !== undefined && 'sessionId' in event) order.push(`${event.sessionId} ${word}`);
  });
  return order;
}
