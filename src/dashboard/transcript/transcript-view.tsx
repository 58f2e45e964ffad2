import { memo } from 'preact/compat';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Transcript, TranscriptItem } from '../../view/transcript.ts';
import { costText, durationText } from '../frame/figures.ts';
import { FoldedText } from './folded-text.tsx';
import { ToolCard } from './tool-card.tsx';

/** So many of the newest are drawn; the page says how many are before them. */
const MOST = 400;

/** Nearer to the end than this somebody reads along. */
const NEAR_END_PX = 80;

/** What was said, newest last. It stays at the end while one reads there. Everything is text, never markup. */
export function TranscriptView({ transcript }: { readonly transcript: Transcript }) {
  const list = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  useLayoutEffect(() => {
    const element = list.current;
    if (element !== null && follows.current) element.scrollTop = element.scrollHeight;
  });
  const { items, dropped } = transcript;
  const before = dropped + Math.max(0, items.length - MOST);
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
      {before > 0 && <p class="muted">{before} earlier entries are not shown.</p>}
      {items.length === 0 && <p class="empty">Nothing was said yet.</p>}
      {items.slice(-MOST).map((item) => (
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
