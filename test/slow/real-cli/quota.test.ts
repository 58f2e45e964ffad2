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
});

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
