import { type ReadonlySignal, type Signal, useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { SessionSummary } from '../../view/fleet-view.ts';
import { addressOf } from '../main/route.ts';
import { FleetRow } from './fleet-row.tsx';
import type { FleetChoice, SortKey } from './fleet-rows.ts';
import { visibleRange } from './visible-range.ts';

const COLUMNS: readonly { readonly key?: SortKey; readonly label: string; readonly kind: string }[] = [
  { key: 'id', label: 'Session', kind: 'who' },
  { key: 'attention', label: 'State', kind: 'state' },
  { label: 'Model', kind: 'model' },
  { key: 'age', label: 'Age', kind: 'number' },
  { key: 'cost', label: 'Cost', kind: 'number' },
  { key: 'queue', label: 'Queue', kind: 'number' },
  { key: 'restarts', label: 'Restarts', kind: 'number' },
];

interface GridOptions {
  readonly rows: ReadonlySignal<readonly SessionSummary[]>;
  readonly choice: Signal<FleetChoice>;
}

/** Only the rows that can be seen are in the document: five hundred sessions cost as much as twenty. */
export function FleetGrid({ rows, choice }: GridOptions) {
  const viewport = useRef<HTMLDivElement>(null);
  const place = useSignal({ top: 0, height: 600, rowHeight: 44 });
  const selected = useSignal<string | undefined>(undefined);
  useLayoutEffect(() => {
    const measure = () => {
      const element = viewport.current;
      if (element === null) return;
      const rowHeight = Number.parseFloat(getComputedStyle(element).getPropertyValue('--row-height')) || 44;
      place.value = { top: element.scrollTop, height: element.clientHeight, rowHeight };
    };
    measure();
    const observer = new ResizeObserver(measure);
    if (viewport.current !== null) observer.observe(viewport.current);
    return () => observer.disconnect();
  }, [place]);

  const all = rows.value;
  const { rowHeight, top, height } = place.value;
  const { first, end } = visibleRange({ count: all.length, rowHeight, top, height });
  const at = indexOf(all, selected.value);
  const wantsFocus = useRef(false);
  useLayoutEffect(() => {
    const row = viewport.current?.querySelector<HTMLElement>('[role=row][tabindex="0"]');
    if (!wantsFocus.current || !row) return;
    wantsFocus.current = false;
    row.focus({ preventScroll: true });
  });

  const goTo = (index: number) => {
    const target = Math.min(rows.value.length - 1, Math.max(0, index));
    selected.value = rows.value[target]?.id;
    wantsFocus.current = true;
    const element = viewport.current;
    if (element === null) return;
    if (target * rowHeight < element.scrollTop) element.scrollTop = target * rowHeight;
    const bottom = (target + 1) * rowHeight;
    if (bottom > element.scrollTop + element.clientHeight) element.scrollTop = bottom - element.clientHeight;
    // The event of the scrolling comes too late: the row has to be there to be focused.
    place.value = { ...place.value, top: element.scrollTop };
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // As they are now: keys come faster than what they do is drawn.
    const from = indexOf(rows.value, selected.value);
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: from + 1,
      ArrowUp: from - 1,
      PageDown: from + 10,
      PageUp: from - 10,
      Home: 0,
      End: rows.value.length - 1,
    };
    const step = steps[event.key];
    const id = rows.value[from]?.id;
    if (step !== undefined) goTo(step);
    else if (event.key === 'Enter' && id !== undefined) location.hash = addressOf({ page: 'session', id });
    else return;
    event.preventDefault();
  };

  return (
    <div class="grid" role="grid" aria-label="Sessions" aria-rowcount={all.length + 1} onKeyDown={onKeyDown}>
      <div class="grid-head" role="row" aria-rowindex={1}>
        {COLUMNS.map((column) => (
          <ColumnHead key={column.label} column={column} choice={choice} />
        ))}
      </div>
      <div
        ref={viewport}
        class="grid-body"
        role="rowgroup"
        onScroll={({ currentTarget }) => {
          place.value = { ...place.value, top: currentTarget.scrollTop };
        }}
      >
        <div role="presentation" style={{ height: `${first * rowHeight}px` }} />
        {all.slice(first, end).map((session, index) => (
          <FleetRow
            key={session.id}
            session={session}
            index={first + index + 2}
            isSelected={first + index === at}
            onSelect={() => {
              selected.value = session.id;
            }}
          />
        ))}
        <div role="presentation" style={{ height: `${(all.length - end) * rowHeight}px` }} />
        {all.length === 0 && <p class="empty">No session is like that.</p>}
      </div>
    </div>
  );
}

/** The row that is selected; the first one when that is not to be seen any more. */
function indexOf(rows: readonly SessionSummary[], id: string | undefined): number {
  return Math.max(
    0,
    rows.findIndex((session) => session.id === id),
  );
}

interface ColumnHeadOptions {
  readonly column: (typeof COLUMNS)[number];
  readonly choice: Signal<FleetChoice>;
}

function ColumnHead({ column: { key, label, kind }, choice }: ColumnHeadOptions) {
  const { sort, isDescending } = choice.value;
  const isSorted = key === sort;
  const order = isSorted ? (isDescending ? 'descending' : 'ascending') : 'none';
  return (
    <div class={`cell ${kind}`} role="columnheader" aria-sort={key === undefined ? undefined : order}>
      {key === undefined ? (
        label
      ) : (
        <button
          type="button"
          class="quiet"
          onClick={() => {
            // A first look at figures is at the largest.
            const startsDescending = key !== 'id' && key !== 'attention';
            choice.value = { ...choice.value, sort: key, isDescending: isSorted ? !isDescending : startsDescending };
          }}
        >
          {label}
          <span aria-hidden="true">{isSorted ? (isDescending ? ' ↓' : ' ↑') : ''}</span>
        </button>
      )}
    </div>
  );
}
