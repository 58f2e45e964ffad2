import { changedLines } from '../../view/changed-lines.ts';
import { changeOf, summaryOf } from '../../view/tool-change.ts';
import type { NoticeItem, ResultItem, TextItem, ToolItem, Transcript, TranscriptItem } from '../../view/transcript.ts';
import { cutTo } from '../terminal/fitted-text.ts';
import type { LineSink } from '../terminal/live-lines.ts';
import { plain, plainLine } from '../terminal/plain-text.ts';
import type { Style } from '../terminal/style.ts';

/** Lines of a result that are shown. */
const RESULT_LINES = 4;
/** A line of a card is cut behind this. */
const CARD_COLUMNS = 160;

interface Shown {
  readonly item: TranscriptItem;
  /** Characters of its text that are printed. */
  readonly printed: number;
}

/** Prints a transcript as it grows: text as it streams, a card for each tool and for what came of it. */
export class TranscriptPrinter {
  readonly #sink: LineSink;
  readonly #style: Style;
  #shown = new Map<string, Shown>();
  /** The text that stands in the row that is not finished. */
  #open: string | undefined;

  constructor(sink: LineSink, style: Style) {
    this.#sink = sink;
    this.#style = style;
  }

  /** Takes all but the newest for printed. */
  skipTo(transcript: Transcript, newest: number): void {
    for (const item of transcript.items.slice(0, Math.max(0, transcript.items.length - newest)))
      this.#shown.set(item.id, { item, printed: textOf(item).length });
  }

  show({ items }: Transcript): void {
    const shown = new Map<string, Shown>();
    for (const item of items) {
      const before = this.#shown.get(item.id);
      const printed = before?.item === item ? before.printed : this.#print(item, before);
      shown.set(item.id, { item, printed });
    }
    // What the transcript dropped comes no more.
    this.#shown = shown;
  }

  #print(item: TranscriptItem, before: Shown | undefined): number {
    switch (item.kind) {
      case 'text':
        return this.#text(item, before?.printed ?? 0);
      case 'thinking':
        if (!item.isStreaming && before?.printed !== item.text.length)
          this.#line(item, this.#style.dim(`✻ ${firstLine(item.text)}`));
        return item.isStreaming ? 0 : item.text.length;
      case 'tool':
        this.#tool(item, before?.item.kind === 'tool' ? before.item : undefined);
        return 0;
      default:
        if (before === undefined) this.#once(item);
        return 0;
    }
  }

  #text(item: TextItem, printed: number): number {
    // Of several that write at the same time only the main one streams.
    if (item.parent !== undefined && item.isStreaming) return 0;
    const rest = item.text.slice(printed);
    if (item.parent !== undefined) {
      for (const line of plain(rest).split('\n')) this.#line(item, this.#style.text(line));
      return item.text.length;
    }
    if (this.#open !== item.id && rest !== '') this.#endText();
    if (rest !== '') {
      this.#open = item.id;
      this.#sink.piece(plain(rest));
    }
    if (!item.isStreaming && this.#open === item.id) this.#endText();
    return item.text.length;
  }

  #tool(item: ToolItem, before: ToolItem | undefined): void {
    const style = this.#style;
    if (item.status === 'streaming') return;
    if (before === undefined || before.status === 'streaming')
      this.#line(item, `${style.cyan('●')} ${style.bold(item.name)} ${style.text(whatOf(item))}`);
    const isOver = item.result !== undefined || item.status === 'denied' || item.status === 'abandoned';
    const wasOver = before?.result !== undefined || before?.status === 'denied' || before?.status === 'abandoned';
    if (isOver && !wasOver) for (const line of this.#resultLines(item)) this.#line(item, line);
  }

  #resultLines({ result, status, permission }: ToolItem): string[] {
    const style = this.#style;
    if (status === 'denied')
      return [`  ${style.red('✗')} ${style.dim(`denied by ${permission?.who ?? permission?.by ?? 'a rule'}`)}`];
    if (result === undefined) return [`  ${style.yellow('✗')} ${style.dim('its turn ended before it did')}`];
    const sign = result.isError ? style.red('✗') : style.green('✓');
    const lines = plain(result.text).trimEnd().split('\n');
    const hidden = lines.length - RESULT_LINES;
    const shown = lines.slice(0, RESULT_LINES).map((line) => style.dim(cutTo(line, CARD_COLUMNS)));
    const [first = style.dim('done'), ...others] = shown;
    return [
      `  ${sign} ${lines.join('') === '' ? style.dim('done') : first}`,
      ...others.map((line) => `    ${line}`),
      ...(hidden > 0 ? [`    ${style.dim(`… ${hidden} more ${hidden === 1 ? 'line' : 'lines'}`)}`] : []),
    ];
  }

  #once(item: TranscriptItem): void {
    const style = this.#style;
    if (item.kind === 'prompt') {
      for (const line of plain(item.text).split('\n')) this.#line(item, `${style.blue('>')} ${style.bold(line)}`);
      for (const one of item.attachments) this.#line(item, style.dim(`  with ${one}`));
    } else if (item.kind === 'result') this.#line(item, style.dim(resultWords(item)));
    else if (item.kind === 'compact') this.#line(item, style.dim('── the conversation was made shorter'));
    else if (item.kind === 'notice') this.#notice(item);
    else if (item.kind === 'unknown')
      this.#line(item, style.dim(`· ${item.messageType}${item.subtype === undefined ? '' : `/${item.subtype}`}`));
  }

  #notice(item: NoticeItem): void {
    const paint = item.isProblem ? this.#style.red : this.#style.dim;
    this.#line(item, paint(`· ${plainLine(item.text)}`));
  }

  /** What a subagent does stands apart. */
  #line(item: TranscriptItem, line: string): void {
    this.#endText();
    this.#sink.line(item.parent === undefined ? line : `${this.#style.dim('┊')} ${line}`);
  }

  #endText(): void {
    if (this.#open !== undefined) this.#sink.piece('\n');
    this.#open = undefined;
  }
}

function textOf(item: TranscriptItem): string {
  return item.kind === 'text' || item.kind === 'thinking' ? item.text : '';
}

function whatOf({ name, input }: ToolItem): string {
  const change = changeOf(name, input);
  if (change === undefined) return cutTo(plainLine(summaryOf(input)), CARD_COLUMNS);
  const lines = change.parts.flatMap(({ before, after }) => changedLines(before, after));
  const [added, removed] = (['new', 'gone'] as const).map((kind) => lines.filter((line) => line.kind === kind).length);
  return `${change.path} +${added} -${removed}`;
}

function resultWords({ isError, totalCostUsd, durationMs, errors, subtype }: ResultItem): string {
  const parts = [
    isError ? `── the turn failed: ${errors.join('; ') || subtype}` : '── the turn ended',
    ...(durationMs === undefined ? [] : [`${(durationMs / 1000).toFixed(1)} s`]),
    ...(totalCostUsd === undefined ? [] : [`$${totalCostUsd.toFixed(4)} so far`]),
  ];
  return plainLine(parts.join(', '));
}

function firstLine(text: string): string {
  const [first = ''] = plain(text).trim().split('\n');
  return cutTo(first, CARD_COLUMNS);
}
