import type { SessionView } from '../../view/session-view.ts';
import { toneOf } from '../fleet/tone.ts';
import { ConnectionBadge } from '../frame/connection-badge.tsx';
import { costText, durationText } from '../frame/figures.ts';
import { now } from '../frame/now.ts';
import { addressOf } from '../main/route.ts';
import type { WatchedSession } from '../main/source.ts';

interface HeadOptions {
  readonly view: SessionView;
  readonly watched: WatchedSession;
}

export function SessionHead({ view, watched }: HeadOptions) {
  return (
    <header class="session-head">
      <nav aria-label="Where this is">
        <a href={addressOf({ page: 'fleet' })}>Fleet</a> {view.groups.map((group) => `/ ${group} `)}
      </nav>
      <div class="session-title">
        <h1>{view.id}</h1>
        <span class={`state-mark ${toneOf(view)}`} data-position={view.position}>
          {view.position}
        </span>
        <span class="muted figure">{view.since === 0 ? '' : `for ${durationText(now.value - view.since)}`}</span>
        {watched.connection.value.state !== 'live' && <ConnectionBadge connection={watched.connection} />}
      </div>
      <dl class="facts">
        <Fact label="status" value={view.status.replace('_', ' ')} />
        <Fact label="model" value={view.model} />
        <Fact label="mode" value={view.permissionMode} />
        <Fact label="cost" value={costText(view.usage.costUsd)} />
        <Fact label="turns" value={String(view.usage.turns)} />
        <Fact label="age" value={view.createdAt === 0 ? undefined : durationText(now.value - view.createdAt)} />
        <Fact label="pid" value={view.pid?.toString()} />
        <Fact label="process" value={view.epoch === 0 ? undefined : `no. ${view.epoch}`} />
        <Fact label="restarts" value={restartsText(view)} />
        <Fact label="CLI" value={view.cliVersion} />
        <Fact label="key" value={view.key} />
        <Fact label="conversation" value={view.conversationId} isLong />
      </dl>
    </header>
  );
}

interface FactOptions {
  readonly label: string;
  readonly value: string | undefined;
  readonly isLong?: boolean;
}

function Fact({ label, value, isLong = false }: FactOptions) {
  if (value === undefined) return null;
  return (
    <div class={isLong ? 'long' : ''}>
      <dt>{label}</dt>
      <dd class="figure" title={value}>
        {value}
      </dd>
    </div>
  );
}

function restartsText({ restarts: { count, inWindow } }: SessionView): string | undefined {
  if (count === 0) return undefined;
  return inWindow === 0 ? String(count) : `${count}, ${inWindow} in the window`;
}
