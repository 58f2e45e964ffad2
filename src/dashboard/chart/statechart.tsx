import { chart } from 'virtual:chart';
import { useComputed, useSignal } from '@preact/signals';
import { memo } from 'preact/compat';
import { useEffect, useId, useRef } from 'preact/hooks';
import type { Transition } from '../../view/session-view.ts';
import { arrowPath } from './arrow-path.ts';
import type { Box, ChartArrow, DrawnChart } from './chart.ts';
import { type Stretch, startThatShows } from './in-view.ts';
import { arrowsOf, litStates, stateOf } from './lit-states.ts';

type DrawnState = DrawnChart['states'][number];
type DrawnArrow = DrawnChart['arrows'][number];

/** What one looks at: a state or an arrow, by its id. */
type Focus = string | undefined;

/** The states in the order in which the arrow keys go through them. */
const WALK = chart.states.filter(({ kind }) => kind !== 'start').map(({ id }) => id);

interface ChartOptions {
  readonly position: string;
  readonly transitions: readonly Transition[];
  /** As it was laid out, however large the panel is. */
  readonly isLarge?: boolean;
}

/** The machines of a session as they are, and where it is in them. Drawn anew only when that changes. */
export const Statechart = memo(({ position, transitions, isLarge = false }: ChartOptions) => {
  const panel = useRef<HTMLDivElement>(null);
  const tips = useId();
  const focus = useSignal<Focus>(undefined);
  const lit = litStates(position, chart.states);
  const here = stateOf(position, chart.states);
  const last = transitions.at(-1);
  // One stop of the Tab key for the whole chart: where the session is.
  const stop = WALK.includes(focus.value ?? '') ? focus.value : (here ?? WALK[0]);
  const lastArrows = last === undefined ? [] : arrowsOf(last, chart.states, chart.arrows);
  const near = useComputed(() =>
    chart.arrows.filter(({ source, target, id }) => [source, target, id].includes(focus.value ?? '')),
  );
  const look = (id: Focus) => ({
    onMouseEnter: () => {
      focus.value = id;
    },
    onMouseLeave: () => {
      focus.value = undefined;
    },
    onFocus: () => {
      focus.value = id;
    },
    onBlur: () => {
      focus.value = undefined;
    },
  });
  useEffect(() => {
    const view = panel.current;
    const box = chart.states.find(({ id }) => id === here)?.box;
    if (view === null || box === undefined) return;
    // It has no size before its dialog is open, and gets another one with the window.
    const observer = new ResizeObserver(() => {
      const height = view.querySelector('svg')?.getBoundingClientRect().height ?? 0;
      bringIntoView(view, box, height / (chart.height + 4));
    });
    observer.observe(view);
    return () => observer.disconnect();
  }, [here]);
  return (
    <figure class={`statechart ${isLarge ? 'large' : ''}`}>
      <div ref={panel} class="chart-view" tabIndex={0} role="region" aria-label="Chart">
        <svg
          viewBox={`-2 -2 ${chart.width + 4} ${chart.height + 4}`}
          width={chart.width + 4}
          height={chart.height + 4}
          role="group"
          aria-label={`Statechart of the session, now ${position}`}
          onKeyDown={walk}
        >
          <defs>
            {['plain', 'near', 'last'].map((kind) => (
              <marker
                key={kind}
                id={`${tips}-${kind}`}
                viewBox="0 0 8 8"
                refX="7"
                refY="4"
                markerUnits="userSpaceOnUse"
                markerWidth={kind === 'last' ? 13 : 9}
                markerHeight={kind === 'last' ? 13 : 9}
                orient="auto"
              >
                <path class={`tip ${kind}`} d="M0 0.800L7.500 4 0 7.200z" />
              </marker>
            ))}
          </defs>
          {chart.states.filter(hasInside).map((state) => (
            <State
              key={state.id}
              state={state}
              isLit={lit.has(state.id)}
              isLeaf={false}
              isStop={state.id === stop}
              look={look(state.id)}
            />
          ))}
          {chart.arrows.map((arrow) => (
            <Arrow
              key={arrow.id}
              arrow={arrow}
              kind={near.value.includes(arrow) ? 'near' : 'plain'}
              tips={tips}
              look={look(arrow.id)}
            />
          ))}
          {lastArrows.map((arrow) => (
            <Arrow key={`${last?.seq} ${arrow.id}`} arrow={arrow} kind="last" tips={tips} look={look(arrow.id)} />
          ))}
          {chart.states
            .filter((state) => !hasInside(state))
            .map((state) => (
              <State
                key={state.id}
                state={state}
                isLit={lit.has(state.id)}
                isLeaf
                isStop={state.id === stop}
                look={look(state.id)}
              />
            ))}
        </svg>
      </div>
      <figcaption aria-live="off" tabIndex={0}>
        {explained(focus.value, last, lastArrows)}
      </figcaption>
    </figure>
  );
});

/** Scrolls the chart, and nothing around it, to a state. At once for whoever wants less motion. */
export function bringIntoView(panel: HTMLElement, box: Box, scale: number): void {
  const { scrollLeft, scrollTop, clientWidth, clientHeight } = panel;
  const left = startThatShows(scaled(box.x, box.width, scale), { start: scrollLeft, length: clientWidth });
  const top = startThatShows(scaled(box.y, box.height, scale), { start: scrollTop, length: clientHeight });
  if (left === scrollLeft && top === scrollTop) return;
  const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
  panel.scrollTo({ left, top, behavior: isStill ? 'instant' : 'smooth' });
}

function scaled(start: number, length: number, scale: number): Stretch {
  return { start: start * scale, length: length * scale };
}

/** The arrow keys go from state to state. */
function walk(event: KeyboardEvent & { readonly currentTarget: SVGSVGElement }): void {
  const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
  const { currentTarget, target } = event;
  if (step === undefined || !(target instanceof Element)) return;
  event.preventDefault();
  const at = WALK.indexOf(target.getAttribute('data-state') ?? '');
  const next = WALK[(at + step + WALK.length) % WALK.length];
  for (const state of currentTarget.querySelectorAll<SVGElement>('[data-state]'))
    if (state.dataset['state'] === next) state.focus();
}

interface Look {
  readonly onMouseEnter: () => void;
  readonly onMouseLeave: () => void;
  readonly onFocus: () => void;
  readonly onBlur: () => void;
}

interface StateOptions {
  readonly state: DrawnState;
  readonly isLit: boolean;
  readonly isLeaf: boolean;
  readonly isStop: boolean;
  readonly look: Look;
}

function State({ state, isLit, isLeaf, isStop, look }: StateOptions) {
  const { box, kind, name, words } = state;
  if (kind === 'start')
    return <circle class="chart-start" cx={box.x + box.width / 2} cy={box.y + box.height / 2} r="4.5" {...look} />;
  const tone = toneOf(state.id);
  return (
    <g
      class={`chart-state ${kind} ${isLeaf ? 'leaf' : 'around'} ${isLit ? `lit ${tone}` : ''}`}
      tabIndex={isStop ? 0 : -1}
      role="img"
      aria-label={`${name}${isLit ? ', active' : ''}: ${words}`}
      data-state={state.id}
      data-lit={isLit}
      {...look}
    >
      <rect x={box.x} y={box.y} width={box.width} height={box.height} rx={isLeaf ? 8 : 12} />
      {kind === 'final' && (
        <rect class="rim" x={box.x + 3} y={box.y + 3} width={box.width - 6} height={box.height - 6} rx="6" />
      )}
      {isLeaf ? (
        <text x={box.x + box.width / 2} y={box.y + box.height / 2} text-anchor="middle" dominant-baseline="central">
          {name}
        </text>
      ) : (
        <text x={box.x + 12} y={box.y + 21}>
          {name}
        </text>
      )}
    </g>
  );
}

function Arrow({
  arrow,
  kind,
  tips,
  look,
}: {
  readonly arrow: DrawnArrow;
  readonly kind: 'plain' | 'near' | 'last';
  /** What the ids of the tips of this chart begin with. */
  readonly tips: string;
  readonly look: Look;
}) {
  const path = arrowPath(arrow.points);
  return (
    <g class={`chart-arrow ${kind}`} {...look}>
      <path class="reach" d={path} />
      <path class="line" d={path} pathLength="1" marker-end={`url(#${tips}-${kind})`} />
    </g>
  );
}

function explained(focus: Focus, last: Transition | undefined, lastArrows: readonly ChartArrow[]) {
  const state = chart.states.find(({ id }) => id === focus);
  if (state !== undefined) return <StateWords state={state} />;
  const arrow = chart.arrows.find(({ id }) => id === focus);
  if (arrow !== undefined)
    return (
      <>
        <strong>
          {nameOf(arrow.source)} → {nameOf(arrow.target)}
        </strong>{' '}
        <span class="muted">{arrow.ways.map(wayText).join(' or ')}</span>
      </>
    );
  if (last === undefined) return <span class="muted">Point at a state or an arrow: it says what it is.</span>;
  const ways = new Set(lastArrows.flatMap((one) => one.ways.map(wayText)));
  return (
    <>
      <span class="muted">Last: </span>
      <strong>
        {last.from} → {last.to}
      </strong>{' '}
      <span class="muted">{[...ways].join(' or ')}</span>
    </>
  );
}

function StateWords({ state }: { readonly state: DrawnState }) {
  const out = chart.arrows.filter(({ source }) => source === state.id);
  return (
    <>
      <strong>{state.name}</strong> {state.words}
      {out.length > 0 && (
        <ul>
          {out.map(({ id, target, ways }) => (
            <li key={id}>
              → {nameOf(target)} <span class="muted">{ways.map(wayText).join(' or ')}</span>
            </li>
          ))}
        </ul>
      )}
      {state.hears.length > 0 && <p class="muted">It stays for {state.hears.join(', ')}.</p>}
    </>
  );
}

function wayText({ event, guard }: ChartArrow['ways'][number]): string {
  return guard === undefined ? event : `${event} [${guard}]`;
}

function nameOf(id: string): string {
  if (id.endsWith('(any)')) return 'any state';
  return id.split('.').slice(1).join('.');
}

function hasInside({ id }: DrawnState): boolean {
  return chart.states.some(({ parent }) => parent === id);
}

function toneOf(id: string): string {
  if (id === 'session.awaiting-permission') return 'asks';
  if (id === 'session.failed' || id === 'child.quarantined') return 'bad';
  return '';
}
