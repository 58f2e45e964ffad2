import type { SessionView } from '../../view/session-view.ts';
import { durationText } from '../frame/figures.ts';
import { now } from '../frame/now.ts';

/** What supervision knows of it, and what its process has around it. */
export function Surroundings({ view }: { readonly view: SessionView }) {
  const facts = factsOf(view);
  const servers = Object.entries(view.servers);
  if (facts.length + servers.length + view.tasks.length === 0) return null;
  return (
    <section class="card surroundings">
      <h2>Around it</h2>
      <dl class="rows">
        {facts.map(([label, text, tone]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd class={tone ?? ''}>{text}</dd>
          </div>
        ))}
        {servers.map(([name, { status, reason }]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {status} <span class="muted">{reason}</span>
            </dd>
          </div>
        ))}
        {view.tasks.length > 0 && (
          <div>
            <dt>in the background</dt>
            <dd>{view.tasks.map(({ kind }) => kind).join(', ')}</dd>
          </div>
        )}
      </dl>
    </section>
  );
}

type Fact = readonly [label: string, text: string, tone?: string];

function factsOf(view: SessionView): Fact[] {
  const { parked, quarantined, ended, watchdog, restarts, volatileSince, diagnostics } = view;
  return [
    ...(ended === undefined ? [] : [['ended', ended.cause.message] as const]),
    ...(quarantined === undefined ? [] : [['quarantined', quarantined.cause.message, 'bad'] as const]),
    ...(parked === undefined ? [] : [['parked', [parked.reason, parked.note].filter(Boolean).join(': ')] as const]),
    ...(restarts.cause === undefined ? [] : [['last restart', restarts.cause.message] as const]),
    ...(watchdog === undefined
      ? []
      : [['silent', `${watchdog.clock}, for ${durationText(now.value - watchdog.since)}`, 'bad'] as const]),
    ...(volatileSince === undefined
      ? []
      : [['not stored', `for ${durationText(now.value - volatileSince)}`, 'bad'] as const]),
    ...(diagnostics === 0 ? [] : [['diagnostics', String(diagnostics)] as const]),
  ];
}
