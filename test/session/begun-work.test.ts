import { describe, expect, it } from 'vitest';
import type { OnPromptLost } from '../../src/launch/session-options.ts';
import { refuseBegun } from '../../src/session/begun-work.ts';
import { EventLog } from '../../src/store/event-log.ts';
import { CliMessage } from '../../src/wire/cli-message.ts';
import { openLedger } from './ledger-harness.ts';

const LIMITS = { maxItems: 1_000, maxBytes: 1_000_000, subscriber: { maxItems: 1_000, maxBytes: 1_000_000 } };

type Seen =
  | { readonly call: string; readonly by?: string }
  | { readonly asks: string; readonly as: string }
  | { readonly settles: string; readonly outcome: string }
  | 'text';

/** A prompt that was cut off after all that was seen of its turn, and what becomes of it before the next process. */
async function fateAfter(seen: readonly Seen[], onLost: OnPromptLost = 'once') {
  const log = new EventLog(LIMITS, () => 0);
  const { ledger, play, lose, ends, doubted } = openLedger({ hasLifecycle: true, onLost });
  play({ send: '1' }, ['1', 'started'], 'init');
  const [record] = ledger.outstanding;
  if (record === undefined) throw new Error('The prompt did not start.');
  tell(log, { call: 'of-an-earlier-turn' });
  record.startedSeq = log.append(1, { type: 'prompt.started', promptId: '1' }).seq;
  for (const one of seen) tell(log, one);
  lose({ isRestarting: true });
  await refuseBegun(ledger, log);
  const again = ledger.queued.map(({ wireId, doubt }) => (doubt ? 'in doubt' : wireId === '1' ? 'again' : 'anew'));
  return [...ends(), ...again, ...doubted.map(() => 'told')];
}

function tell(log: EventLog, seen: Seen): void {
  if (seen === 'text') log.append(1, { type: 'message', message: said([{ type: 'text', text: 'hm' }]) });
  else if ('call' in seen) {
    const block = { type: 'tool_use', id: seen.call, name: 'Bash', input: {} };
    log.append(1, { type: 'message', message: said([block], seen.by) });
  } else if ('asks' in seen) {
    const about = { kind: 'tool', toolName: 'Bash', input: {}, agentId: undefined } as const;
    log.append(1, { type: 'permission.requested', ...about, requestId: seen.asks, toolUseId: seen.as });
  } else {
    log.append(1, {
      type: 'permission.settled',
      kind: 'tool',
      requestId: seen.settles,
      outcome: seen.outcome,
      by: 'me',
    });
  }
}

function said(content: readonly unknown[], parent: string | null = null): CliMessage {
  const line = { type: 'assistant', message: { role: 'assistant', content }, parent_tool_use_id: parent };
  return new CliMessage(Buffer.from(JSON.stringify(line)), 'assistant', undefined);
}

describe('a prompt that was cut off, before the next process (P2, WIRE §15)', () => {
  it.each<[string, readonly Seen[], string]>([
    ['nothing was said', [], 'again'],
    ['a text was said', ['text'], 'again'],
    ['a tool may have run', ['text', { call: 'a' }], '1 lost'],
    ['a tool waits for an answer', [{ call: 'a' }, { asks: 'q', as: 'a' }], 'again'],
    [
      'the question went with the process',
      [{ call: 'a' }, { asks: 'q', as: 'a' }, { settles: 'q', outcome: 'cancelled' }],
      'again',
    ],
    ['it was denied', [{ call: 'a' }, { asks: 'q', as: 'a' }, { settles: 'q', outcome: 'denied' }], 'again'],
    ['it was allowed', [{ call: 'a' }, { asks: 'q', as: 'a' }, { settles: 'q', outcome: 'allowed' }], '1 lost'],
    ['one has run, another waits', [{ call: 'a' }, { call: 'b' }, { asks: 'q', as: 'b' }], '1 lost'],
    ['an agent of it calls, behind its own call', [{ call: 'a' }, { call: 'b', by: 'a' }], '1 lost'],
  ])('%s', async (_name, seen, fate) => {
    expect(await fateAfter(seen)).toEqual([fate]);
  });

  it.each<[OnPromptLost, readonly string[]]>([
    ['once', ['1 lost']],
    ['retry', ['anew']],
    ['fail', ['1 lost']],
    ['ask', ['in doubt', 'told']],
  ])('is dealt with as %s says', async (onLost, fate) => {
    expect(await fateAfter([{ call: 'a' }], onLost)).toEqual(fate);
  });
});

describe('a prompt that another host had begun (P2, P8)', () => {
  it('is not sent again where its tool stands in the store alone', async () => {
    const before = new EventLog(LIMITS, () => 0);
    const { ledger, play, lose, ends } = openLedger({ hasLifecycle: true });
    play({ send: '1' }, ['1', 'started'], 'init');
    const [record] = ledger.outstanding;
    if (record === undefined) throw new Error('The prompt did not start.');
    record.startedSeq = before.append(1, { type: 'prompt.started', promptId: '1' }).seq;
    const call = { type: 'tool_use', id: 'a', name: 'Bash', input: {} };
    const stored = before.append(1, { type: 'message', message: said([call]) });
    async function* history(after: number) {
      if (stored.seq > after) yield stored;
    }
    const log = new EventLog(LIMITS, () => 0, { history, lastSeq: stored.seq, epoch: 1 });
    lose({ isRestarting: true });
    await refuseBegun(ledger, log);

    expect(ends()).toEqual(['1 lost']);
  });
});
