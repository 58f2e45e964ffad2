import { useEffect, useMemo } from 'preact/hooks';
import type { SessionView } from '../../view/session-view.ts';
import { globalIdOf } from '../../view/summary.ts';
import { ChartPanel } from '../chart/chart-panel.tsx';
import { QuestionCard } from '../inbox/question-card.tsx';
import { useSource } from '../main/page.ts';
import { addressOf } from '../main/route.ts';
import { Timeline } from '../timeline/timeline.tsx';
import { TranscriptView } from '../transcript/transcript-view.tsx';
import { PromptBox } from './prompt-box.tsx';
import { Queue } from './queue.tsx';
import { SessionActions } from './session-actions.tsx';
import { SessionHead } from './session-head.tsx';
import { sessionModel } from './session-model.ts';
import { Surroundings } from './surroundings.tsx';
import { Why } from './why.tsx';

/** Everything about one session: where it is, why, what was said, and what one can do. */
export function SessionPage({ id }: { readonly id: string }) {
  const source = useSource();
  const model = useMemo(() => sessionModel(source.watch(id)), [source, id]);
  useEffect(() => {
    document.title = `${id} · Troupe`;
    return () => model.watched.close();
  }, [model, id]);

  const { watched, moment } = model;
  const view = model.view.value;
  const problem = watched.problem.value;
  if (problem !== undefined) return <Unknown id={id} title={problem.title} code={problem.code} />;
  if (view === undefined) return <p class="empty">Reading the log of {id} …</p>;
  const isPast = moment.value !== undefined;
  return (
    <section class={`session ${isPast ? 'past' : ''}`} aria-label={`Session ${id}`}>
      <SessionHead view={view} watched={watched} />
      <div class="session-tools">
        {!isPast && <SessionActions view={view} />}
        <Timeline model={model} view={view} />
      </div>
      <div class="session-body">
        <ChartPanel position={view.position} transitions={view.transitions} />
        <div class="session-side" tabIndex={0} role="region" aria-label="Where it is">
          <section class="card">
            {isPast ? <p class="muted">As it was after its event {moment.value?.seq}.</p> : <Why view={view} />}
          </section>
          <Queue view={view} isPast={isPast} />
          <Surroundings view={view} />
        </div>
        <div class="session-talk">
          <TranscriptView
            transcript={model.transcript.value}
            isReading={!isPast && watched.isReading.value}
            readEarlier={!isPast && watched.hasEarlier.value ? watched.readEarlier : undefined}
          />
          {!isPast && <OpenQuestions view={view} />}
          {!isPast && <PromptBox view={view} />}
        </div>
      </div>
    </section>
  );
}

/** What it asks can be answered where one reads why it does. */
function OpenQuestions({ view }: { readonly view: SessionView }) {
  if (view.permissions.length === 0) return null;
  return (
    <section class="open-questions" aria-label="Open questions">
      {view.permissions.map((question) => (
        <QuestionCard
          key={question.id}
          question={question}
          sessionId={view.id}
          globalId={globalIdOf(view.id, question.id)}
          hasSession={false}
        />
      ))}
    </section>
  );
}

function Unknown({ id, title, code }: { readonly id: string; readonly title: string; readonly code: string }) {
  return (
    <section class="empty">
      <h1>{id}</h1>
      <p>{title}</p>
      <code>{code}</code>
      <p>
        <a href={addressOf({ page: 'fleet' })}>To the fleet</a>
      </p>
    </section>
  );
}
