import { type SessionLogicCommand, type SessionLogicEvent, type StartSession, sessionLogic } from 'troupe/machines';
import { assign, sendTo, setup } from 'xstate';

export interface PipelineInput {
  readonly task: string;
  readonly writer: StartSession;
  readonly reviewer: StartSession;
  /** Reviews before the draft is given up. */
  readonly maxRounds: number;
}

export interface PipelineOutput {
  readonly verdict: 'approved' | 'given-up' | 'failed';
  readonly rounds: number;
  readonly draft: string;
  /** Why it failed. */
  readonly code: string | undefined;
}

interface PipelineContext extends PipelineInput {
  readonly rounds: number;
  readonly draft: string;
  readonly remarks: string;
  /** Turns in a row that came to nothing. */
  readonly misses: number;
  readonly code: string | undefined;
}

const MOST_MISSES = 3;

/** Two sessions and one text: the writer writes, the reviewer reviews, the writer fixes, until the reviewer says OK. */
export const reviewPipeline = setup({
  types: {
    input: {} as PipelineInput,
    context: {} as PipelineContext,
    events: {} as SessionLogicEvent,
    output: {} as PipelineOutput,
  },
  actors: { session: sessionLogic },
  actions: {
    askForDraft: sendTo('writer', ({ context }) => prompt(`Write a draft: ${context.task}`)),
    askForReview: sendTo('reviewer', ({ context }) => {
      return prompt(`Review this draft. Begin with OK if nothing is to be changed.\n\n${context.draft}`);
    }),
    askForFix: sendTo('writer', ({ context }) => prompt(`Fix the draft. The reviewer says:\n\n${context.remarks}`)),
    // What the CLI asks is for this machine to decide: here, notes may be written and nothing else may be done.
    decide: sendTo(
      (_, params: { sessionId: string }) => params.sessionId,
      (_, params: { requestId: string; toolName: string | undefined }) => {
        const { requestId, toolName } = params;
        const no = { behavior: 'deny', message: 'This pipeline only writes.' } as const;
        const answer = toolName === 'Write' ? ({ behavior: 'allow' } as const) : no;
        return { type: 'permission.answer', requestId, answer, by: 'pipeline' } satisfies SessionLogicCommand;
      },
    ),
    keepDraft: assign((_, params: { text: string | undefined }) => ({ draft: params.text ?? '', misses: 0 })),
    keepRemarks: assign(({ context }, params: { text: string | undefined }) => {
      return { remarks: params.text ?? '', rounds: context.rounds + 1, misses: 0 };
    }),
    countMiss: assign(({ context }, params: { code: string | undefined }) => {
      return { misses: context.misses + 1, code: params.code };
    }),
    blame: assign((_, params: { error: unknown }) => ({ code: codeOf(params.error) })),
  },
  guards: {
    isDone: (_, params: { outcome: string }) => params.outcome === 'completed',
    isApproved: (_, params: { outcome: string; text: string | undefined }) => {
      return params.outcome === 'completed' && params.text?.startsWith('OK') === true;
    },
    isLastRound: ({ context }, params: { outcome: string }) => {
      return params.outcome === 'completed' && context.rounds + 1 >= context.maxRounds;
    },
    isPrompt: (_, params: { command: string }) => params.command === 'session.prompt',
    mayTryAgain: ({ context }) => context.misses + 1 < MOST_MISSES,
  },
}).createMachine({
  id: 'review-pipeline',
  context: ({ input }) => ({ ...input, rounds: 0, draft: '', remarks: '', misses: 0, code: undefined }),
  initial: 'working',
  states: {
    // Leaving this state, whichever way, closes both sessions.
    working: {
      invoke: [
        {
          id: 'writer',
          src: 'session',
          input: ({ context }) => ({ start: context.writer }),
          onDone: 'failed',
          onError: { target: 'failed', actions: { type: 'blame', params: ({ event }) => ({ error: event.error }) } },
        },
        {
          id: 'reviewer',
          src: 'session',
          input: ({ context }) => ({ start: context.reviewer }),
          onDone: 'failed',
          onError: { target: 'failed', actions: { type: 'blame', params: ({ event }) => ({ error: event.error }) } },
        },
      ],
      initial: 'writing',
      on: {
        'permission.requested': { actions: { type: 'decide', params: ({ event }) => event } },
        'session.refused': {
          guard: { type: 'isPrompt', params: ({ event }) => event },
          target: 'failed',
          actions: { type: 'countMiss', params: ({ event }) => event },
        },
      },
      states: {
        writing: {
          entry: 'askForDraft',
          on: {
            'session.turn-ended': [
              {
                guard: { type: 'isDone', params: ({ event }) => event },
                target: 'reviewing',
                actions: { type: 'keepDraft', params: ({ event }) => event },
              },
              {
                guard: 'mayTryAgain',
                target: 'writing',
                reenter: true,
                actions: { type: 'countMiss', params: ({ event }) => event },
              },
              { target: '#review-pipeline.failed', actions: { type: 'countMiss', params: ({ event }) => event } },
            ],
          },
        },
        reviewing: {
          entry: 'askForReview',
          on: {
            'session.turn-ended': [
              {
                guard: { type: 'isApproved', params: ({ event }) => event },
                target: '#review-pipeline.approved',
                actions: { type: 'keepRemarks', params: ({ event }) => event },
              },
              {
                guard: { type: 'isLastRound', params: ({ event }) => event },
                target: '#review-pipeline.given-up',
                actions: { type: 'keepRemarks', params: ({ event }) => event },
              },
              {
                guard: { type: 'isDone', params: ({ event }) => event },
                target: 'fixing',
                actions: { type: 'keepRemarks', params: ({ event }) => event },
              },
              {
                guard: 'mayTryAgain',
                target: 'reviewing',
                reenter: true,
                actions: { type: 'countMiss', params: ({ event }) => event },
              },
              { target: '#review-pipeline.failed', actions: { type: 'countMiss', params: ({ event }) => event } },
            ],
          },
        },
        fixing: {
          entry: 'askForFix',
          on: {
            'session.turn-ended': [
              {
                guard: { type: 'isDone', params: ({ event }) => event },
                target: 'reviewing',
                actions: { type: 'keepDraft', params: ({ event }) => event },
              },
              {
                guard: 'mayTryAgain',
                target: 'fixing',
                reenter: true,
                actions: { type: 'countMiss', params: ({ event }) => event },
              },
              { target: '#review-pipeline.failed', actions: { type: 'countMiss', params: ({ event }) => event } },
            ],
          },
        },
      },
    },
    approved: { type: 'final', output: 'approved' },
    'given-up': { type: 'final', output: 'given-up' },
    failed: { type: 'final', output: 'failed' },
  },
  output: ({ context: { rounds, draft, code }, event }) => {
    const verdict = 'output' in event ? (event.output as PipelineOutput['verdict']) : 'failed';
    return { verdict, rounds, draft, code: verdict === 'failed' ? code : undefined };
  },
});

function prompt(text: string): SessionLogicCommand {
  return { type: 'session.prompt', text };
}

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : String(error);
}
