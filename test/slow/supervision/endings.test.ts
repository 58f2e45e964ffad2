import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { afterAll, describe, expect, it } from 'vitest';
import type { Session, SessionOptions, Supervisor } from '../../../src/index.ts';
import { on, step, when } from '../../../src/testing/fake-cli/scenario.ts';
import {
  ANSWER_INITIALIZE,
  errorFrom,
  eventOf,
  isAlive,
  kept,
  newSupervisor,
  processesOf,
  QUICK_RESTART,
  reaches,
  script,
  stage,
} from '../session/stage.ts';

/** What a CLI does after the answer to `initialize`, by the ending that it must be known as: real processes that end that way. */
const ENDS: [title: string, ending: string, lines: readonly string[], more?: SessionOptions][] = [
  ['exits 0 although nobody asked', 'left', ['read -r go', 'exit 0']],
  ['exits 1', 'crash', ['read -r go', 'echo broken >&2', 'exit 1']],
  ['dies of SIGSEGV', 'crash', ['read -r go', 'kill -SEGV $$']],
  ['is killed with SIGKILL by somebody else', 'killed-from-outside', ['read -r go', 'kill -KILL $$']],
  [
    'is behind a wrapper shell that saw SIGKILL',
    'killed-from-outside',
    ['read -r go', "sh -c 'kill -KILL $$'", 'exit 137'],
  ],
  ['makes a code of SIGTERM, as the CLI does (WIRE §15)', 'killed-from-outside', ['read -r go', 'exit 143']],
  [
    'dies of a heap that is full',
    'out-of-memory',
    ['read -r go', "echo 'FATAL ERROR: Reached heap limit - JavaScript heap out of memory' >&2", 'kill -ABRT $$'],
  ],
  ['closes its output and lives on (R61)', 'protocol-fault', ['read -r go', 'exec >&-', 'exec sleep 600']],
];

/** What a CLI does instead of answering `initialize`. */
type Start = [title: string, code: string, ending: string, lines: readonly string[], more?: SessionOptions];
const STARTS: Start[] = [
  [
    'knows no such conversation (R62)',
    'CONVERSATION_NOT_FOUND',
    'conversation-missing',
    ["echo 'No conversation found with session ID: 1' >&2", 'exit 1'],
  ],
  [
    'has the id in use',
    'CONVERSATION_EXISTS',
    'conversation-taken',
    ["echo 'Error: Session ID 1 is already in use.' >&2", 'exit 1'],
  ],
  [
    'does not know a flag (R62)',
    'OPTION_UNSUPPORTED',
    'option-refused',
    ['echo "error: unknown option \'--new\'" >&2', 'exit 1'],
  ],
  [
    'refuses the value of a flag',
    'OPTION_REFUSED',
    'option-refused',
    ["echo \"error: option '--effort' argument 'x' is invalid\" >&2", 'exit 1'],
  ],
  ['is not logged in (R89)', 'NOT_LOGGED_IN', 'auth', ["echo 'Not logged in · Please run /login' >&2", 'exit 1']],
  ['never answers', 'INITIALIZE_TIMEOUT', 'start-timeout', ['exec sleep 600'], { timeouts: { initializeMs: 200 } }],
];

describe('a process that', () => {
  it.each(ENDS)('%s, ends its incarnation as %s (P8)', async (_, ending, lines, more) => {
    const { session } = await running(await script(...ANSWER_INITIALIZE, ...lines), more);
    const { pid } = session;

    session.prompt('go');

    const { cause } = await eventOf(session, 'session.restarting');
    expect(cause.ending).toBe(ending);
    expect(cause.code).toBe(ending === 'out-of-memory' ? 'OUT_OF_MEMORY' : 'CLI_EXITED');
    expect(isAlive(pid ?? 0)).toBe(false);
    await session.kill();
  });

  it.each(STARTS)('%s, fails a first start with %s and is known as %s (P8)', async (_, code, ending, lines, more) => {
    const supervisor = newSupervisor({ pathToClaudeCodeExecutable: await script('read -r line', ...lines) });
    const ended: string[] = [];
    supervisor.on('event', (event) => {
      if (event.type === 'session.ended') ended.push(event.cause.ending);
    });

    const error = await errorFrom(supervisor.start({ id: 'first', ...more }));

    expect(error.code).toBe(code);
    expect(supervisor.list()).toEqual([]);
    expect(ended).toEqual([ending]);
  });
});

describe('a restart that', () => {
  it.each(STARTS.filter(([, , ending]) => ending !== 'start-timeout' && ending !== 'auth'))(
    '%s, is not repeated: %s sets the session aside as %s, with what to do (R62, R89)',
    async (_, code, ending, lines) => {
      const { session } = await running(
        await twice([...ANSWER_INITIALIZE, 'read -r go', 'exit 1'], ['read -r line', ...lines]),
      );
      session.prompt('go');

      const { cause, failures } = await eventOf(session, 'session.quarantined');

      expect(cause).toMatchObject({ code, ending });
      expect(failures.map((failure) => failure.ending)).toEqual(['crash', ending]);
      expect(session.incarnation).toBe(2);
      expect(session.explain().advice).not.toBe(undefined);
      // The crash counted; what set it aside did not.
      expect((await kept(session)).filter(({ type }) => type === 'session.restarting')).toHaveLength(1);
      await session.close();
    },
  );

  it.each([
    ['is not logged in', 'auth', 'Not logged in · Please run /login'],
    ['is at its limit', 'quota', "You've hit your weekly limit · resets Jan 2, 2099, 3pm (UTC)"],
  ])(
    '%s, waits for that with its prompts: it is %s, and is neither repeated nor set aside (R86, R89, P8)',
    async (_, reason, said) => {
      const { session, supervisor } = await running(
        await twice([...ANSWER_INITIALIZE, 'read -r go', 'exit 1'], ['read -r line', `echo "${said}" >&2`, 'exit 1']),
      );
      session.prompt('go');
      session.prompt('later');

      expect((await eventOf(session, 'session.parked')).reason).toBe(reason);

      expect(session.snapshot().queued).toHaveLength(1);
      expect(supervisor.accounts().map(({ state }) => state)).toEqual([reason === 'auth' ? 'locked' : 'walled']);
      expect((await kept(session)).filter(({ type }) => type === 'session.restarting')).toHaveLength(1);
      await session.close();
    },
  );

  it('ran out of memory again before a turn was completed, is the last one; it does not count as a crash (R62)', async () => {
    const out = ['read -r go', "echo 'out of memory' >&2", 'kill -ABRT $$'];
    const { session } = await running(await script(...ANSWER_INITIALIZE, ...out), { restart: { intensity: 0 } });
    session.prompt('go');
    await reaches(session, 'ready', 2);
    session.prompt('go again');

    const { cause, failures } = await eventOf(session, 'session.quarantined');

    expect(cause).toMatchObject({ code: 'OUT_OF_MEMORY', ending: 'repeating' });
    expect(failures.map(({ incarnation, ending }) => [incarnation, ending])).toEqual([
      [1, 'out-of-memory'],
      [2, 'repeating'],
    ]);
    await session.close();
  });

  it('fails on the same frame each time is not tried until the budget is gone (R62)', async () => {
    const mute = ['read -r go', 'exec >&-', 'exec sleep 600'];
    const { session } = await running(await script(...ANSWER_INITIALIZE, ...mute), { restart: { intensity: 50 } });
    session.prompt('go');
    await reaches(session, 'ready', 2);
    session.prompt('go');

    expect((await eventOf(session, 'session.quarantined')).cause.ending).toBe('repeating');
    expect(session.incarnation).toBe(2);
    await session.close();
  });

  it('finds its executable unusable sets the session aside, and restart() goes on when it is repaired (P8)', async () => {
    const path = await script(...ANSWER_INITIALIZE, 'read -r go', 'exit 1');
    const { session } = await running(path);
    await chmod(path, 0o600);
    session.prompt('go');
    expect((await eventOf(session, 'session.quarantined')).cause).toMatchObject({
      code: 'CLI_NOT_EXECUTABLE',
      ending: 'start-refused',
    });

    await chmod(path, 0o700);
    session.restart();

    await reaches(session, 'ready', 3);
    await session.close();
  });
});

describe('a CLI that the kernel ends because its control group is out of memory', () => {
  const group = memoryGroup();
  afterAll(() => group?.remove());

  it.runIf(group !== undefined)(
    'is known by the count of the kernel, also behind a wrapper shell, and its restart does not count (P8)',
    async () => {
      const eat = ['read -r go', 'head -c 300m /dev/zero | tail -c 200m > /dev/null', 'exit $?'];
      const path = await script(`echo $$ > ${group?.members}`, ...ANSWER_INITIALIZE, ...eat);
      const { session } = await running(path, { restart: { intensity: 0 } });

      session.prompt('go');

      const { cause, restarts } = await eventOf(session, 'session.restarting');
      expect(cause).toMatchObject({ code: 'OUT_OF_MEMORY', ending: 'out-of-memory' });
      expect(cause.message).toContain('exit code 137');
      expect(restarts).toBe(0);
      await session.kill();
    },
  );
});

describe('ten kills in a row', () => {
  it('never lead to two processes at once, and the supervisor counts what the system counts (R55, P1)', async () => {
    const guard = [
      'if [ -e "$0.pid" ] && kill -0 "$(cat "$0.pid")" 2>/dev/null; then echo two >> "$0.two"; fi',
      'echo $$ > "$0.pid"',
    ];
    const path = await script(...guard, ...ANSWER_INITIALIZE, 'exec sleep 600');
    const { session } = await running(path, { restart: { intensity: 50 } });
    for (let incarnation = 1; incarnation <= 10; incarnation += 1) {
      await reaches(session, 'ready', incarnation);
      expect(processesOf(session.id)).toEqual([session.pid]);
      process.kill(session.pid ?? 0, 'SIGKILL');
    }
    await reaches(session, 'ready', 11);
    expect(processesOf(session.id)).toEqual([session.pid]);
    expect(existsSync(`${path}.two`)).toBe(false);
    await session.kill();
    expect(processesOf(session.id)).toEqual([]);
  });
});

describe('a child that exits 0 at once', () => {
  it('is restarted, because nobody asked, but not for ever (R62)', async () => {
    const leave = { rules: [on(when.initialize(), step.fallThrough(), step.delay(20), step.exit(0))] };
    const { start } = await stage({
      perStart: [{ rules: [on(when.prompt('go'), step.exit(0))] }, leave, leave, leave, leave],
    });
    const session = await start();
    session.prompt('go');
    const { failures } = await eventOf(session, 'session.quarantined');
    expect(failures.map(({ ending }) => ending)).toEqual(['left', 'left', 'left', 'left']);
  });
});

async function running(
  path: string,
  options: SessionOptions = {},
): Promise<{ session: Session; supervisor: Supervisor }> {
  const supervisor = newSupervisor({ pathToClaudeCodeExecutable: path });
  const session = await supervisor.start({
    ...options,
    onPromptLost: 'fail',
    restart: { ...QUICK_RESTART, ...options.restart },
    timeouts: { closeGraceMs: 100, terminateGraceMs: 100, ...options.timeouts },
  });
  return { session, supervisor };
}

/** A CLI that does the one at its first start, and the other at every later one. */
async function twice(first: readonly string[], later: readonly string[]): Promise<string> {
  return script('if [ ! -e "$0.was" ]; then', 'touch "$0.was"', ...first, 'fi', ...later);
}

/** A control group with 30 MB of memory; undefined where this user may not make one. */
function memoryGroup(): { readonly members: string; remove(): void } | undefined {
  const isOld = existsSync('/sys/fs/cgroup/memory/memory.oom_control');
  const folder = `/sys/fs/cgroup/${isOld ? 'memory/' : ''}troupe-endings-${process.pid}`;
  const [limit, members] = isOld ? ['memory.limit_in_bytes', 'tasks'] : ['memory.max', 'cgroup.procs'];
  try {
    mkdirSync(folder);
    writeFileSync(`${folder}/${limit}`, String(30 * 2 ** 20));
    return { members: `${folder}/${members}`, remove: () => rmdirSync(folder) };
  } catch {
    if (existsSync(folder)) rmdirSync(folder);
    return undefined;
  }
}
