import { diffLines } from 'diff';

export interface ChangedLine {
  readonly kind: 'same' | 'gone' | 'new' | 'gap';
  readonly text: string;
}

/** Lines around a change that are shown with it. */
const AROUND = 3;

/** More lines than this are not compared: it would hold the page up. */
const MOST_LINES = 4_000;

/** What changed between two texts, line by line; long stretches that stay are a gap. */
export function changedLines(before: string, after: string): readonly ChangedLine[] {
  if (linesOf(before).length + linesOf(after).length > MOST_LINES)
    return [...linesOf(before).map((text) => line('gone', text)), ...linesOf(after).map((text) => line('new', text))];
  const parts = diffLines(before, after);
  return parts.flatMap((part, index) => {
    const lines = linesOf(part.value);
    if (part.added) return lines.map((text) => line('new', text));
    if (part.removed) return lines.map((text) => line('gone', text));
    return shortened(lines, index === 0, index === parts.length - 1);
  });
}

function shortened(lines: readonly string[], isFirst: boolean, isLast: boolean): ChangedLine[] {
  const head = isFirst ? 0 : AROUND;
  const tail = isLast ? 0 : AROUND;
  const left = lines.length - head - tail;
  const all = lines.map((text) => line('same', text));
  if (left <= 1) return all;
  const gap = line('gap', `${left} lines`);
  return [...all.slice(0, head), gap, ...all.slice(all.length - tail)];
}

/** The end of the last line begins no other one. */
function linesOf(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

function line(kind: ChangedLine['kind'], text: string): ChangedLine {
  return { kind, text };
}
