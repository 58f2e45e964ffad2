import { describe, expect, it } from 'vitest';
import { CHILD_STATES, type ChildStateName } from '../../machines/child/child.events.ts';
import type { PersistedChild } from '../../machines/child/restored-child.ts';
import { parseSessionOptions } from '../../src/launch/session-options.ts';
import type { SessionSnapshot } from '../../src/store/store.ts';
import type { Json, PromptRecord, SessionRecord, StoreRecord } from '../../src/store/store-record.ts';
import { type RecoverySetting, recoveryPlan } from '../../src/supervision/recovery-plan.ts';

describe('how a session comes back', () => {
  it.each([
    ['running', 'resumed', 'waiting'],
    ['waiting', 'resumed', 'waiting'],
    ['hibernated', 'resumed', 'waiting'],
    ['backing-off', 'kept', 'backing-off'],
    ['parked', 'kept', 'parked'],
    ['quarantined', 'quarantined', 'quarantined'],
    ['held', 'resumed', 'waiting'],
    ['stopping', 'ended', 'stopped'],
  ] satisfies [ChildStateName, string, string][])(
    '%s, with prompts that wait: %s as %s',
    (state, decision, comeback) => {
      const { restored } = plan({ records: [session({}, state), prompt('p1')] });
      expect([restored.decision, restored.child.state]).toEqual([decision, comeback]);
    },
  );

  it('has a decision with a reason for every state that a child can be in', () => {
    for (const state of CHILD_STATES) {
      const { restored } = plan({ records: [session({}, state)] });
      expect(restored.reason, state).not.toBe('');
      expect(['kept', 'quarantined', 'ended'], state).toContain(restored.decision);
    }
  });

  it('starts no process for a session without work', () => {
    const { restored } = plan({ records: [session({}, 'running'), prompt('p1', { state: 'ended' })] });
    expect([restored.decision, restored.child.state]).toEqual(['kept', 'hibernated']);
  });

  it('starts one for an open question: the CLI asks it again', () => {
    const { restored } = plan({ records: [session({}, 'running'), OPEN_QUESTION] });
    expect(restored.decision).toBe('resumed');
  });

  it('leaves in peace what waits for somebody to decide (onPromptLost: ask)', () => {
    const options = { onPromptLost: 'ask' };
    const records = [session({ options }, 'running'), prompt('p1', { state: 'started' }), prompt('p2')];
    expect(plan({ records }).restored.child.state).toBe('hibernated');
  });

  it('holds it where onRestart says so, and ends it where that is "fail"', () => {
    const records = [session({}, 'running'), prompt('p1')];
    expect(plan({ records, onRestart: 'hold' }).restored).toMatchObject({ decision: 'held', child: { state: 'held' } });
    expect(plan({ records, onRestart: 'fail' }).restored.decision).toBe('failed');
    const own = [session({ options: { onRestart: 'resume' } }, 'running'), prompt('p1')];
    expect(plan({ records: own, onRestart: 'fail' }).restored.decision).toBe('resumed');
  });

  it('holds it while options are missing that nobody can store, and names them', () => {
    const records = [session({ withheld: ['canUseTool', 'stderr', 'env.API_KEY'] }, 'running'), prompt('p1')];
    expect(plan({ records }).restored).toMatchObject({ decision: 'held', missing: ['canUseTool', 'env.API_KEY'] });
    expect(plan({ records, variables: { API_KEY: 'here' } })).toMatchObject({
      options: { env: { API_KEY: 'here' } },
      restored: { missing: ['canUseTool'] },
    });
  });

  it('holds a member until its group is started again', () => {
    const { groups, restored } = plan({ records: [session({ groups: ['outer', 'inner'] }, 'running')] });
    expect(groups).toEqual(['outer', 'inner']);
    expect(restored).toMatchObject({ decision: 'held', reason: expect.stringContaining('"inner"') });
  });

  it('sets aside what was taken up five times without a turn that ended well, and keeps its prompts', () => {
    const taken = (count: number) => [
      session({ recoveries: Array.from({ length: count }, (_, index) => index) }, 'running'),
      prompt('p1'),
    ];
    expect(plan({ records: taken(4) }).restored).toMatchObject({
      decision: 'resumed',
      conversation: { recoveries: [0, 1, 2, 3, NOW] },
    });
    const { restored } = plan({ records: taken(5) });
    expect(restored).toMatchObject({
      decision: 'quarantined',
      child: { state: 'quarantined', cause: { code: 'RECOVERIES_USED_UP' } },
    });
    expect(restored.conversation.prompts).toMatchObject([{ id: 'p1', state: 'queued' }]);
  });

  it('counts no recovery of a session without work', () => {
    const { restored } = plan({ records: [session({ recoveries: [1] }, 'hibernated')] });
    expect(restored.conversation.recoveries).toEqual([1]);
  });

  it.each<[string, Partial<SessionRecord>]>([
    ['its supervision', { child: { state: 'unheard-of' } }],
    ['its options', { options: { maxTurns: 'many' } }],
  ])('sets aside, with its prompts and its record as it was, what cannot be read: %s', (what, broken) => {
    const record = session(broken, 'running');
    const { restored } = plan({ records: [record, prompt('p1')] });
    expect(restored).toMatchObject({ decision: 'quarantined', child: { cause: { code: 'RECORD_UNREADABLE' } } });
    expect(restored.reason).toContain(what);
    expect(restored.stored.options).toEqual(record.options);
    expect(restored.conversation.prompts).toHaveLength(1);
  });

  it('never sends a prompt whose secrets were taken out', () => {
    const { restored } = plan({ records: [session({}, 'running'), prompt('p1', { isRedacted: true })] });
    expect([restored.decision, [...restored.conversation.unsendable]]).toEqual(['kept', ['p1']]);
  });
});

const NOW = 1_000_000;

function plan({ records, ...setting }: { records: readonly StoreRecord[] } & Partial<RecoverySetting>) {
  const snapshot: SessionSnapshot = { lastSeq: 9, firstSeq: 1, epoch: 2, records };
  return recoveryPlan('one', snapshot, {
    now: NOW,
    variables: {},
    parse: parseSessionOptions,
    onRestart: 'resume',
    onPromptLost: 'once',
    maxRecoveries: 5,
    ...setting,
  });
}

function session(own: Partial<SessionRecord>, state: ChildStateName): SessionRecord {
  return {
    kind: 'session',
    state,
    options: {},
    settings: {},
    conversationIds: ['c1'],
    facts: { conversationId: 'c1', hasLifecycle: true, capabilities: ['msg_lifecycle_v1'] },
    child: JSON.parse(JSON.stringify(child(state))) as Json,
    restarts: [],
    deadlines: {},
    ...own,
  };
}

function child(state: ChildStateName): PersistedChild {
  return {
    state,
    incarnation: 2,
    wasEverReady: true,
    restarts: [],
    failures: 0,
    failed: [],
    retriedFor: null,
    backoffMs: 5_000,
    backoffUntil: NOW + 3_000,
    pausedFor: 'hibernate',
    parking: { reason: 'quota', until: NOW + 1, note: 'At its limit.' },
    wasAsleep: false,
    cause: null,
    stoppedFor: null,
  };
}

function prompt(id: string, own: Partial<PromptRecord> = {}): PromptRecord {
  return { kind: 'prompt', id, state: 'accepted', acceptedAt: 1, content: id, ...own };
}

const OPEN_QUESTION: StoreRecord = {
  kind: 'permission',
  id: 'q1',
  about: 'tool',
  state: 'open',
  inputDigest: 'd',
  requestedAt: 1,
  question: {},
};
