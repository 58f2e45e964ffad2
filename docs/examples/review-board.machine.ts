import { type SessionLogicCommand, type SessionLogicEvent, type StartSession, sessionLogic } from 'troupe/machines';
import { assign, sendTo, setup } from 'xstate';

export type Vote = 'approve' | 'reject' | 'absent';

export interface BoardInput {
  readonly draft: string;
  /** How the reviewer of this name is started. */
  readonly start: (reviewer: string) => StartSession;
}

export interface BoardOutput {
  readonly verdict: 'approved' | 'rejected';
  readonly votes: Readonly<Record<string, Vote>>;
}

interface BoardContext extends BoardInput {
  readonly votes: Readonly<Record<string, Vote>>;
}

const board = setup({
  types: {
    input: {} as BoardInput,
    context: {} as BoardContext,
    events: {} as SessionLogicEvent,
    output: {} as BoardOutput,
  },
  actors: { session: sessionLogic },
  actions: {
    ask: sendTo(
      (_, params: { reviewer: string }) => params.reviewer,
      ({ context }) => {
        const text = `Review this draft. Begin with OK if nothing is to be changed.\n\n${context.draft}`;
        return { type: 'session.prompt', text } satisfies SessionLogicCommand;
      },
    ),
    count: assign(({ context }, params: { reviewer: string; text: string | undefined }) => {
      const vote: Vote = params.text?.startsWith('OK') === true ? 'approve' : 'reject';
      return { votes: { ...context.votes, [params.reviewer]: vote } };
    }),
    countOut: assign(({ context }, params: { reviewer: string }) => {
      return { votes: { ...context.votes, [params.reviewer]: 'absent' as const } };
    }),
  },
  guards: {
    hasVoted: (_, params: { reviewer: string; sessionId: string; outcome: string }) => {
      return params.sessionId === params.reviewer && params.outcome === 'completed';
    },
    wasLost: (_, params: { reviewer: string; sessionId: string; outcome: string }) => {
      return params.sessionId === params.reviewer && params.outcome === 'lost';
    },
    isOf: (_, params: { reviewer: string; sessionId: string }) => params.sessionId === params.reviewer,
    isMajority: ({ context }) => {
      const votes = Object.values(context.votes);
      return votes.filter((vote) => vote === 'approve').length > votes.filter((vote) => vote === 'reject').length;
    },
  },
});

/**
 * Sessions that review the same draft at the same time, one region each. One that fails is absent, and takes none of the
 * others with it; when all have settled, the majority of those who voted decides.
 */
export function reviewBoard(reviewers: readonly string[]) {
  return board.createMachine({
    id: 'review-board',
    context: ({ input }) => ({ ...input, votes: {} }),
    initial: 'deliberating',
    states: {
      deliberating: {
        type: 'parallel',
        states: Object.fromEntries(reviewers.map((reviewer) => [reviewer, seat(reviewer)])),
        onDone: [{ guard: 'isMajority', target: 'approved' }, { target: 'rejected' }],
      },
      approved: { type: 'final', output: 'approved' },
      rejected: { type: 'final', output: 'rejected' },
    },
    output: ({ context: { votes }, event }) => {
      return { votes, verdict: 'output' in event && event.output === 'approved' ? 'approved' : 'rejected' };
    },
  });
}

/** The region of one reviewer. Leaving `present` closes the session. */
function seat(reviewer: string) {
  return board.createStateConfig({
    initial: 'present',
    states: {
      present: {
        invoke: {
          id: reviewer,
          src: 'session',
          input: ({ context }) => ({ start: context.start(reviewer) }),
          onDone: { target: 'absent', actions: { type: 'countOut', params: { reviewer } } },
          onError: { target: 'absent', actions: { type: 'countOut', params: { reviewer } } },
        },
        initial: 'asked',
        states: { asked: { entry: { type: 'ask', params: { reviewer } } } },
        on: {
          'session.turn-ended': [
            {
              guard: { type: 'hasVoted', params: ({ event }) => ({ ...event, reviewer }) },
              target: 'voted',
              actions: { type: 'count', params: ({ event }) => ({ reviewer, text: event.text }) },
            },
            // The process was lost with the turn, and the next one does not take it up.
            {
              guard: { type: 'wasLost', params: ({ event }) => ({ ...event, reviewer }) },
              target: '.asked',
            },
            {
              guard: { type: 'isOf', params: ({ event }) => ({ ...event, reviewer }) },
              target: 'absent',
              actions: { type: 'countOut', params: { reviewer } },
            },
          ],
          'session.refused': {
            guard: { type: 'isOf', params: ({ event }) => ({ ...event, reviewer }) },
            target: 'absent',
            actions: { type: 'countOut', params: { reviewer } },
          },
        },
      },
      voted: { type: 'final' },
      absent: { type: 'final' },
    },
  });
}
