import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSupervisor, type FleetEvent, type Session, type SessionOptions } from '../../../src/index.ts';
import { error, text } from '../../../src/testing/fake-model/script.ts';
import { processesOf, stage } from './stage.ts';

const QUOTA = { skewMs: 200, jitterMs: 0, staggerMs: 50, backoff: { minMs: 1_000, jitter: 0 } };
const FUTURE_MS = 3_600_000;

/** What the API says, beside the status 429, to a subscription at its limit. */
function limitHeaders(resetsAt: number): Record<string, string> {
  return {
    'anthropic-ratelimit-unified-status': 'rejected',
    'anthropic-ratelimit-unified-reset': String(resetsAt),
    'anthropic-ratelimit-unified-representative-claim': 'five_hour',
    'anthropic-ratelimit-unified-overage-status': 'rejected',
  };
}

describe('a usage limit on the real CLI (R86)', () => {
  it.each(['a subscription', 'a key'] as const)(
    'of %s is met as WIRE tells it, parks the session, and lets the prompt complete once it is over (P1, P2)',
    async (whose) => {
      const resetsAt = Math.ceil((Date.now() + FUTURE_MS) / 1_000);
      const refusal = error(429, undefined, undefined, { headers: limitHeaders(resetsAt) });
      const isKey = whose === 'a key';
      const { setting, model } = await stage({
        // A key is tried once more by the CLI itself.
        script: { rules: [{ when: {}, reply: refusal, times: isKey ? 2 : 1 }], otherwise: text('back at work') },
      });
      await using supervisor = createSupervisor({
        // Where no reset is told, somebody says when, too: the test looks at what is parked first.
        quota: { ...QUOTA, autoResume: false },
      });
      const told: FleetEvent[] = [];
      supervisor.on('event', (event) => told.push(event));
      const session = await supervisor.start({ ...(isKey ? setting : subscribed(setting)), account: 'shared' });
      const turn = session.prompt('work');
      await parked(session);

      // Neither header nor event of a limit reaches anybody with a key: the status is all there is.
      const limit = isKey ? { window: 'unknown', resetsAt: null } : { window: 'five_hour', resetsAt: resetsAt * 1_000 };
      expect(told.filter(({ type }) => type === 'quota.reached')).toMatchObject([{ account: 'shared', ...limit }]);
      expect(session.pid).toBeUndefined();
      expect(processesOf(session.id)).toEqual([]);
      expect(model.requests).toHaveLength(isKey ? 2 : 1);

      supervisor.resumeAccount('shared');
      expect(await turn.result).toMatchObject({ outcome: 'completed', text: 'back at work' });
      expect(model.requests).toHaveLength(isKey ? 3 : 2);
      expect(told.filter(({ type }) => type === 'prompt.ended')).toHaveLength(1);
    },
  );

  it('that refuses the results of tools lets the turn go on where it stopped, and no tool runs twice (P2)', async () => {
    const resetsAt = Math.ceil((Date.now() + FUTURE_MS) / 1_000);
    const refusal = error(429, undefined, undefined, { headers: limitHeaders(resetsAt) });
    const { setting, model, cwd } = await stage({ script: { rules: [{ when: { nth: 2 }, reply: refusal }] } });
    await using supervisor = createSupervisor({ quota: { ...QUOTA, autoResume: false } });
    const session = await supervisor.start({
      ...subscribed(setting),
      account: 'shared',
      permissionMode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
      env: { ...subscribed(setting).env, IS_SANDBOX: '1' },
    });
    const calls = ['one', 'two'].map((word) => ({ name: 'Bash', input: { command: `echo ${word} >> runs.txt` } }));
    const turn = session.prompt(`CALLS ${JSON.stringify(calls)}`);
    await parked(session);
    expect(runsIn(cwd)).toEqual(['one', 'two']);

    supervisor.resumeAccount('shared');
    const { outcome, text: words } = await turn.result;
    expect(outcome).toBe('completed');
    // The model is asked to go on, and sees what its tools said.
    expect(words).toContain('usage limit');
    expect(model.requests.at(-1)?.turnPrompt).toContain('Go on where it stopped.');
    expect(JSON.stringify(model.requests.at(-1)?.body['messages'])).toContain('"type":"tool_result"');
    expect(runsIn(cwd)).toEqual(['one', 'two']);
  });
});

function runsIn(cwd: string): string[] {
  return readFileSync(join(cwd, 'runs.txt'), 'utf8').trim().split('\n').sort();
}

/** The CLI heeds the headers of a limit only where it is logged in with a subscription. */
function subscribed(setting: SessionOptions): SessionOptions {
  return {
    ...setting,
    env: { ...setting.env, ANTHROPIC_API_KEY: undefined, CLAUDE_CODE_OAUTH_TOKEN: 'a-token-of-nobody' },
  };
}

async function parked(session: Session): Promise<void> {
  for await (const event of session.events()) if (event.type === 'session.parked') return;
}
