import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { SessionView } from '../../view/session-view.ts';
import { attempt, useSource } from '../main/page.ts';
import type { SessionModel } from '../session/session-model.ts';
import type { Lasting, Marks, Stretch } from './marks.ts';
import { PastLog } from './past-log.ts';

const HEIGHT = 44;

/** The log of a session from left to right, and a scrubber: chart, transcript and queue show what was so at that event. */
export function Timeline({ model, view }: { readonly model: SessionModel; readonly view: SessionView }) {
  const source = useSource();
  const isOpen = useSignal(false);
  const read = useSignal(0);
  const log = useMemo(() => new PastLog(source, view), [source, view.id]);
  const { moment } = model;
  const newest = model.watched.view.value?.seq ?? 0;

  const readOn = () =>
    attempt(source, 'The log could not be read.', async () => {
      await log.readOn();
      read.value = log.lastSeq;
    });
  const goTo = (seq: number) => {
    const last = Math.max(log.firstSeq, Math.min(seq, log.lastSeq));
    moment.value = last >= newest ? undefined : log.momentAt(last);
  };
  const goLive = () => {
    moment.value = undefined;
  };
  const open = isOpen.value;
  useEffect(() => {
    if (!open) return;
    // What is new is read a moment after it came; while it comes without a pause, once a second.
    const timer = setTimeout(() => void readOn(), read.value === 0 ? 0 : 1_000);
    return () => clearTimeout(timer);
  }, [open, Math.floor(newest / 20), read.value === 0]);

  if (!open)
    return (
      <button
        type="button"
        class="quiet timeline-open"
        aria-expanded="false"
        onClick={() => {
          isOpen.value = true;
        }}
      >
        Timeline
      </button>
    );
  const first = log.firstSeq;
  const last = Math.max(read.value, first);
  const at = moment.value?.seq ?? last;
  return (
    <section class="card timeline" aria-label="Timeline">
      <header>
        <h2>Timeline</h2>
        <span class="figure muted" role="status">
          {moment.value === undefined
            ? `now, event ${newest}`
            : `event ${at} of ${newest}, ${timeText(log.timeOf(at))}`}
        </span>
        <button type="button" class="primary" data-action="live" disabled={moment.value === undefined} onClick={goLive}>
          Back to now
        </button>
        <button
          type="button"
          class="quiet"
          onClick={() => {
            goLive();
            isOpen.value = false;
          }}
        >
          Close
        </button>
      </header>
      <Drawn marks={log.marks} first={first} last={last} at={at} />
      <input
        type="range"
        aria-label="Event to look back to"
        aria-valuetext={`event ${at}`}
        min={first}
        max={last}
        step={1}
        value={at}
        onInput={({ currentTarget }) => goTo(Number(currentTarget.value))}
      />
      <p class="figure muted timeline-ends">
        <span>{timeText(log.timeOf(first))}</span>
        <span>{timeText(log.timeOf(last))}</span>
      </p>
    </section>
  );
}

interface DrawnOptions {
  readonly marks: Marks;
  readonly first: number;
  readonly last: number;
  readonly at: number;
}

/** States above, then turns, prompts and questions. */
function Drawn({ marks, first, last, at }: DrawnOptions) {
  const scale = 1_000 / Math.max(1, last - first);
  const x = (seq: number) => (seq - first) * scale;
  const bar = (one: Stretch, y: number, height: number, tone: string, title: string) => (
    <rect
      key={`${y} ${one.from}`}
      class={tone}
      x={x(one.from)}
      y={y}
      width={Math.max(2, x(one.to ?? last) - x(one.from))}
      height={height}
    >
      <title>{title}</title>
    </rect>
  );
  const lasting = (one: Lasting, y: number) =>
    bar(one, y, 5, `lasting ${one.outcome ?? 'open'}`, `${one.label}: ${one.outcome ?? 'open'}`);
  return (
    <svg viewBox={`0 0 1000 ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={summaryOf(marks)}>
      {marks.states.map((one) => bar(one, 0, 14, `state ${one.label}`, one.label))}
      {marks.turns.map((one) => bar(one, 18, 5, 'turn', 'a turn'))}
      {marks.prompts.map((one) => lasting(one, 27))}
      {marks.questions.map((one) => lasting(one, 36))}
      <line class="cursor" x1={x(at)} x2={x(at)} y1={0} y2={HEIGHT} />
    </svg>
  );
}

function summaryOf({ states, turns, prompts, questions }: Marks): string {
  return `${states.length} states, ${turns.length} turns, ${prompts.length} prompts, ${questions.length} questions`;
}

function timeText(at: number | undefined): string {
  return at === undefined ? '' : new Date(at).toLocaleTimeString();
}
