import { type Signal, useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { askedQuestions } from '../../view/asked-questions.ts';
import type { PermissionView } from '../../view/session-view.ts';
import { changeOf, summaryOf } from '../../view/tool-change.ts';
import { ageText, durationText, shareLeft } from '../frame/figures.ts';
import { now } from '../frame/now.ts';
import { attempt, useSource } from '../main/page.ts';
import { addressOf } from '../main/route.ts';
import { ChangeView } from '../transcript/change-view.tsx';
import { FoldedText } from '../transcript/folded-text.tsx';
import { ElicitationForm } from './elicitation-form.tsx';
import { QuestionsForm } from './questions-form.tsx';
import { ToolAnswers } from './tool-answers.tsx';

export interface QuestionCardOptions {
  readonly question: PermissionView;
  readonly sessionId: string;
  /** `<sessionId>~<id>`. */
  readonly globalId: string;
  readonly isChosen?: boolean;
  readonly hasSession?: boolean;
}

/** Sends the answer; false when the server would not take it, and the page says why. */
export type Answer = (answer: Readonly<Record<string, unknown>>) => Promise<boolean>;

/** One open question of the CLI: what it wants, why, until when, and all that can be answered. */
export function QuestionCard(options: QuestionCardOptions) {
  const { question, sessionId, globalId, isChosen = false, hasSession = true } = options;
  const source = useSource();
  const isSent = useSignal(false);
  const answer: Answer = async (given) => {
    isSent.value = true;
    const isTaken = await attempt(source, 'The answer did not count.', () =>
      source.ask('POST', `permissions/${encodeURIComponent(globalId)}`, given),
    );
    isSent.value = isTaken;
    return isTaken;
  };
  return (
    <article
      class={`card question ${isChosen ? 'chosen' : ''}`}
      data-question={question.id}
      aria-label={`${question.toolName ?? question.kind} of ${sessionId}`}
      aria-current={isChosen ? 'true' : undefined}
      aria-busy={isSent.value}
    >
      <header>
        <h2>
          {question.displayName ?? question.toolName ?? question.kind}{' '}
          <span class="question-does">{summaryOf(question.input)}</span>
        </h2>
        {hasSession && <a href={addressOf({ page: 'session', id: sessionId })}>{sessionId}</a>}
        <span class="figure muted">{ageText(now.value - question.requestedAt)}</span>
      </header>
      <Deadline question={question} />
      <Why question={question} />
      <About question={question} />
      <Answers question={question} answer={answer} isSent={isSent} />
    </article>
  );
}

function Deadline({ question }: { readonly question: PermissionView }) {
  const { deadlineAt, requestedAt } = question;
  if (deadlineAt === undefined) return null;
  const share = shareLeft(requestedAt, deadlineAt, now.value);
  return (
    <p class="deadline figure">
      <progress value={share} aria-label="Time that is left" />
      {deadlineAt > now.value ? ` ${durationText(deadlineAt - now.value)} left` : ' due'}
    </p>
  );
}

function Why({ question }: { readonly question: PermissionView }) {
  const { title, description, decisionReason, blockedPath, agentId } = question;
  const reasons = [
    title,
    description,
    decisionReason,
    blockedPath === undefined ? undefined : `It reaches ${blockedPath}.`,
    agentId === undefined ? undefined : `A subagent asks: ${agentId}.`,
  ].filter((reason) => reason !== undefined && reason !== '');
  if (reasons.length === 0) return null;
  return (
    <div class="question-why">
      {[...new Set(reasons)].map((reason) => (
        <p key={reason}>{reason}</p>
      ))}
    </div>
  );
}

function About({ question }: { readonly question: PermissionView }) {
  const { toolName = '', input, kind } = question;
  const change = useMemo(() => changeOf(toolName, input), [toolName, input]);
  const text = useMemo(() => JSON.stringify(input, null, 2) ?? '', [input]);
  if (change !== undefined) return <ChangeView change={change} />;
  if (kind === 'elicitation' || askedQuestions(toolName, input).length > 0) return null;
  const command = isRecord(input) && typeof input['command'] === 'string' ? input['command'] : undefined;
  return <FoldedText text={command ?? text} label="What it would do" />;
}

interface AnswersOptions {
  readonly question: PermissionView;
  readonly answer: Answer;
  readonly isSent: Signal<boolean>;
}

function Answers({ question, answer, isSent }: AnswersOptions) {
  const { kind, toolName, input } = question;
  if (kind === 'elicitation') return <ElicitationForm input={input} answer={answer} isSent={isSent} />;
  if (kind === 'dialog')
    return (
      <footer class="answers">
        <button type="button" disabled={isSent.value} onClick={() => void answer({ behavior: 'cancelled' })}>
          Dismiss
        </button>
      </footer>
    );
  const questions = askedQuestions(toolName, input);
  if (questions.length > 0)
    return <QuestionsForm input={input} questions={questions} answer={answer} isSent={isSent} />;
  return <ToolAnswers question={question} answer={answer} isSent={isSent} />;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
