import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type GroupRules, type MemberSpec, type MemberState, verdictOn } from '../../machines/group/strategy.ts';
import { runs } from '../fixed-chance.ts';
import { ASKED, BROKEN, CRASH } from './event-samples.ts';
import { type OtpAnswer, OtpSupervisor } from './otp.ts';

const RULES: GroupRules = { strategy: 'one_for_one', autoShutdown: 'never', intensity: 3, periodMs: 60_000 };

const rules = fc.record({
  strategy: fc.constantFrom('one_for_one' as const, 'one_for_all' as const, 'rest_for_one' as const),
  autoShutdown: fc.constantFrom('never' as const, 'any_significant' as const, 'all_significant' as const),
  intensity: fc.integer({ min: 0, max: 5 }),
  periodMs: fc.integer({ min: 1, max: 100 }),
});
const specs = fc
  .array(
    fc.record({
      restart: fc.constantFrom('permanent' as const, 'transient' as const, 'temporary' as const),
      isSignificant: fc.boolean(),
    }),
    { minLength: 1, maxLength: 6 },
  )
  .map((list) =>
    list.map(({ restart, isSignificant }, index): MemberSpec => {
      return { id: `m${index}`, restart, significant: isSignificant && restart !== 'permanent' };
    }),
  );
const trace = fc.array(
  fc.record({
    member: fc.integer({ min: 0, max: 5 }),
    isNormal: fc.boolean(),
    waitMs: fc.integer({ min: 0, max: 60 }),
  }),
  { maxLength: 40 },
);

describe('the decisions of a group', () => {
  it('are those of OTP for any trace of ends (SEMANTICS, OTP)', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(rules, specs, trace, (flags, children, ends) => {
        const otp = new OtpSupervisor(flags, children);
        let members: readonly MemberState[] = children.map((child) => ({ ...child, status: 'up' }));
        let restarts: readonly number[] = [];
        let at = 0;
        for (const { member, isNormal, waitMs } of ends) {
          at += waitMs;
          const id = `m${member}`;
          const expected = otp.exited(id, isNormal, at);
          const verdict = verdictOn({ id, cause: isNormal ? ASKED : CRASH, at }, members, restarts, flags);
          expect(answerOf(verdict)).toEqual(expected);
          seen.add(expected.did);
          if (expected.did === 'gave-up' || expected.did === 'shutdown' || verdict.kind === 'give-up') return;
          members = started(verdict.members);
          if (verdict.kind === 'restart') restarts = verdict.restarts;
          expect(members.map((one) => one.id)).toEqual(otp.children.map((one) => one.id));
        }
      }),
      { numRuns: runs(3_000) },
    );
    expect([...seen].toSorted()).toEqual(['gave-up', 'nothing', 'restarted', 'shutdown']);
  });

  it('leave down what its owner took down, whatever happens to the others', () => {
    const members: MemberState[] = [up('a'), { ...up('b'), status: 'terminated' }, up('c')];

    const verdict = verdictOn({ id: 'a', cause: CRASH, at: 0 }, members, [], { ...RULES, strategy: 'one_for_all' });

    expect(verdict).toMatchObject({ kind: 'restart', hold: ['c'], start: ['a', 'c'] });
    expect(verdictOn({ id: 'b', cause: CRASH, at: 0 }, members, [], RULES)).toEqual({ kind: 'let-go', members });
  });

  it('begin anew what a restart under way had left, because the newer one takes its place (P8)', () => {
    const members: MemberState[] = [
      up('a'),
      { ...up('b'), status: 'restarting' },
      { ...up('c'), status: 'restarting' },
    ];

    const verdict = verdictOn({ id: 'c', cause: CRASH, at: 0 }, members, [], { ...RULES, strategy: 'rest_for_one' });

    expect(verdict).toMatchObject({ kind: 'restart', hold: ['b'], start: ['b', 'c'] });
  });

  it('burn no restart for a cause that would only repeat itself (P8)', () => {
    const end = { id: 'a', cause: BROKEN, at: 0 };

    expect(verdictOn(end, [up('a'), up('b')], [], RULES)).toEqual({
      kind: 'set-aside',
      members: [{ ...up('a'), status: 'set-aside' }, up('b')],
    });
    expect(verdictOn(end, [up('a'), up('b')], [], { ...RULES, strategy: 'rest_for_one' }).kind).toBe('give-up');
  });

  it('ignore an end of somebody they do not know', () => {
    expect(verdictOn({ id: 'x', cause: CRASH, at: 0 }, [up('a')], [], RULES).kind).toBe('let-go');
  });
});

function up(id: string): MemberState {
  return { id, restart: 'permanent', significant: false, status: 'up' };
}

/** What was to be restarted runs again. */
function started(members: readonly MemberState[]): readonly MemberState[] {
  return members.map((member) => (member.status === 'restarting' ? { ...member, status: 'up' } : member));
}

function answerOf(verdict: ReturnType<typeof verdictOn>): OtpAnswer {
  switch (verdict.kind) {
    case 'restart':
      return { did: 'restarted', stopped: verdict.hold, started: verdict.start };
    case 'give-up':
      return { did: 'gave-up' };
    case 'shut-down':
      return { did: 'shutdown' };
    default:
      return { did: 'nothing' };
  }
}
