import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { TroupeError } from '../../../src/index.ts';
import { createRandom } from '../../chaos/random.ts';
import { ANSWER_INITIALIZE, newSupervisor, script, tick } from '../session/stage.ts';

const CALLS = Number(process.env['TROUPE_TEST_CALLS'] ?? 200);
const MOST = 5;

it(
  `${CALLS} random calls at once never have more than ${MOST} processes, as /proc counts them, and leave none (P9, R64)`,
  async () => {
    const random = createRandom(7);
    const supervisor = newSupervisor({
      pathToClaudeCodeExecutable: await script(...ANSWER_INITIALIZE, 'cat >/dev/null'),
      limits: { maxSessions: MOST, maxStarting: 2 * MOST },
      admission: { evictIdle: true },
      timeouts: { admissionMs: 600_000 },
    });
    const answers: Promise<unknown>[] = [];
    const expectAnswer = (answer: Promise<unknown>) => answers.push(answer.catch((error: unknown) => error));
    let most = 0;
    supervisor.on('event', ({ type }) => {
      if (type === 'session.started') most = Math.max(most, marked().length);
    });
    for (let call = 0; call < CALLS; call += 1) {
      const living = supervisor.list();
      const session = living[random.below(Math.max(1, living.length))];
      if (session === undefined || random.chance(0.6)) {
        const controller = new AbortController();
        if (random.chance(0.2)) setTimeout(() => controller.abort(), random.below(50));
        expectAnswer(supervisor.start({ signal: controller.signal }));
      } else if (random.chance(0.3)) expectAnswer(session.hibernate());
      else if (random.chance(0.5)) expectAnswer(session.close());
      else expectAnswer(session.kill());
      if (random.chance(0.3)) await tick(random.below(20));
    }
    await expect.poll(() => supervisor.load().waiting, { timeout: 120_000 + CALLS * 100 }).toBe(0);
    await Promise.all(supervisor.list().map((session) => session.kill()));
    const odd = (await Promise.all(answers)).filter((answer) => answer instanceof Error && !TroupeError.is(answer));
    expect(odd).toEqual([]);
    expect(most).toBeLessThanOrEqual(MOST);
    expect(most).toBeGreaterThan(1);
    const left = supervisor.list().map(({ id, state, pid }) => ({ id, state, pid }));
    expect({ marked: marked(), left, load: supervisor.load() }).toEqual({
      marked: [],
      left: [],
      load: { sessions: 0, waiting: 0, starting: 0 },
    });
  },
  180_000 + CALLS * 150,
);

/** Children of this process that carry the mark of a session and have not ended, read independently of the code under test. */
function marked(): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      const [state, parent] = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? [];
      if (state === 'Z' || Number(parent) !== process.pid) return false;
      return readFileSync(`/proc/${pid}/environ`, 'latin1').includes('TROUPE_SESSION=');
    } catch {
      return false;
    }
  });
}
