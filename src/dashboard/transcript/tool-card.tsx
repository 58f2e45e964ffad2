import { useMemo } from 'preact/hooks';
import { changeOf, summaryOf } from '../../view/tool-change.ts';
import type { ToolItem } from '../../view/transcript.ts';
import { durationText } from '../frame/figures.ts';
import { now } from '../frame/now.ts';
import { ChangeView } from './change-view.tsx';
import { FoldedText } from './folded-text.tsx';

const WORDS: Readonly<Record<ToolItem['status'], string>> = {
  streaming: 'is written',
  running: 'running',
  asking: 'asks',
  done: 'done',
  failed: 'failed',
  denied: 'denied',
  abandoned: 'no result',
};

export function ToolCard({ item }: { readonly item: ToolItem }) {
  const change = useMemo(() => changeOf(item.name, item.input), [item.name, item.input]);
  const isOpen =
    item.status === 'asking' || item.status === 'streaming' || item.status === 'failed' || change !== undefined;
  return (
    <details class={`tool-card ${item.status}`} open={isOpen}>
      <summary>
        <span class="tool-name">{item.name}</span>
        <span class="tool-does">{summaryOf(item.input)}</span>
        <span class={`tool-status ${item.status}`}>{WORDS[item.status]}</span>
        <Duration item={item} />
      </summary>
      {change === undefined ? <Input item={item} /> : <ChangeView change={change} />}
      {item.permission?.outcome !== undefined && (
        <p class="muted">
          {`${item.permission.outcome} by ${item.permission.who ?? item.permission.by ?? 'somebody'}`}
        </p>
      )}
      {item.result !== undefined && (
        <div class={`tool-result ${item.result.isError ? 'bad' : ''}`}>
          {item.result.text !== '' && <FoldedText text={item.result.text} label={`Result of ${item.name}`} />}
          {item.result.attachments.length > 0 && <p class="muted">with {item.result.attachments.join(', ')}</p>}
        </div>
      )}
    </details>
  );
}

function Input({ item }: { readonly item: ToolItem }) {
  const text = useMemo(() => inputText(item), [item.input, item.partialInput]);
  return text === '' ? null : <FoldedText text={text} label={`Input of ${item.name}`} />;
}

/** A command is read as it is written; other input as JSON. */
function inputText({ input, partialInput }: ToolItem): string {
  if (input === undefined) return partialInput ?? '';
  if (typeof input === 'object' && input !== null && 'command' in input && typeof input.command === 'string')
    return input.command;
  return JSON.stringify(input, null, 2);
}

/** How long it took, or takes so far; without a clock of its own when it is over. */
function Duration({ item }: { readonly item: ToolItem }) {
  if (item.endedAt !== undefined) return <span class="figure muted">{durationText(item.endedAt - item.at)}</span>;
  if (item.status !== 'running' && item.status !== 'asking') return null;
  return <span class="figure muted">{durationText(now.value - item.at)}</span>;
}
