import { useSignal } from '@preact/signals';
import { memo } from 'preact/compat';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Transcript, TranscriptItem } from '../../view/transcript.ts';
import { costText, durationText } from '../frame/figures.ts';
import { FoldedText } from './folded-text.tsx';
import { ToolCard } from './tool-card.tsx';

/** So many of the newest are drawn at first, and so many more on demand. */
const STEP = 400;

/** Nearer to the end than this somebody reads along. */
const NEAR_END_PX = 80;

interface TranscriptOptions {
  readonly transcript: Transcript;
  readonly isReading: boolean;
  /** Reads more of the log; undefined when there is no more, or what was is looked at. */
  readonly readEarlier: (() => void) | undefined;
}

/** What was said, newest last. It stays at the end while one reads there. Everything is text, never markup. */
export function TranscriptView({ transcript, isReading, readEarlier }: TranscriptOptions) {
  const most = useSignal(STEP);
  /** How far from the end somebody reads who asked for more before it. */
  const fromEnd = useRef<number | undefined>(undefined);
  const list = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  useLayoutEffect(() => {
    const element = list.current;
    if (element === null) return;
    if (follows.current) element.scrollTop = element.scrollHeight;
    else if (fromEnd.current !== undefined && !isReading) {
      element.scrollTop = element.scrollHeight - fromEnd.current;
      fromEnd.current = undefined;
    }
  });
  const { items, dropped } = transcript;
  const isCut = items.length > most.value;
  const showEarlier = () => {
    const element = list.current;
    if (element !== null) fromEnd.current = element.scrollHeight - element.scrollTop;
    follows.current = false;
    most.value += STEP;
    if (!isCut) readEarlier?.();
  };
  return (
    <div
      ref={list}
      class="transcript"
      role="log"
      aria-label="Transcript"
      aria-live="polite"
      tabIndex={0}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        follows.current = scrollHeight - scrollTop - clientHeight < NEAR_END_PX;
      }}
    >
      {(isCut || (readEarlier !== undefined && dropped === 0)) && (
        <button type="button" class="quiet earlier" disabled={isReading} onClick={showEarlier}>
          {isReading ? 'Reading …' : 'Show earlier'}
        </button>
      )}
      {!isCut && dropped > 0 && <p class="muted">What was before is too much to show here: see the timeline.</p>}
      {items.length === 0 && <p class="empty">{isReading ? 'Reading the log …' : 'Nothing was said yet.'}</p>}
      {items.slice(-most.value).map((item) => (
        <Entry key={item.id} item={item} />
      ))}
    </div>
  );
}

/** An item that is the same object did not change. */
const Entry = memo(({ item }: { readonly item: TranscriptItem }) => (
  <div class={`entry ${item.kind} ${item.parent === undefined ? '' : 'of-subagent'}`} data-seq={item.seq}>
    <Content item={item} />
  </div>
));

function Content({ item }: { readonly item: TranscriptItem }) {
  switch (item.kind) {
    case 'prompt':
      return (
        <>
          <span class="speaker">User</span>
          <p>{item.text}</p>
          {item.attachments.length > 0 && <p class="muted">with {item.attachments.join(', ')}</p>}
        </>
      );
    case 'text':
      return (
        // Letter by letter is nothing to be read out.
        <p aria-busy={item.isStreaming} class={item.isStreaming ? 'streaming' : ''}>
          {item.text}
        </p>
      );
    case 'thinking':
      return (
        <details>
          <summary>{item.isStreaming ? 'Thinking …' : 'Thought'}</summary>
          <p>{item.text}</p>
        </details>
      );
    case 'tool':
      return <ToolCard item={item} />;
    case 'result':
      return <Result item={item} />;
    case 'compact':
      return <p>The conversation was made shorter{item.trigger === undefined ? '' : ` (${item.trigger})`}.</p>;
    case 'notice':
      return (
        <p class={item.isProblem ? 'bad' : ''}>
          <code>{item.about}</code> {item.text}
        </p>
      );
    case 'unknown':
      return (
        <details>
          <summary>
            A message of a kind that is not known here:{' '}
            <code>{[item.messageType, item.subtype].filter(Boolean).join('/')}</code>
          </summary>
          <FoldedText text={item.line} label="The message" />
        </details>
      );
  }
}

function Result({ item }: { readonly item: Extract<TranscriptItem, { kind: 'result' }> }) {
  const facts = [
    item.isError ? item.subtype : 'turn ended',
    ...(item.durationMs === undefined ? [] : [durationText(item.durationMs)]),
    ...(item.totalCostUsd === undefined ? [] : [`${costText(item.totalCostUsd)} so far`]),
  ];
  return (
    <>
      <p class={item.isError ? 'bad' : 'muted'}>{facts.join(' · ')}</p>
      {item.errors.map((error) => (
        <p key={error} class="bad">
          {error}
        </p>
      ))}
    </>
  );
}
