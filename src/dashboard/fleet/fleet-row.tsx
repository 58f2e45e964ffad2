import type { ComponentChildren } from 'preact';
import type { SessionSummary } from '../../view/fleet-view.ts';
import { ageText, costText, durationText } from '../frame/figures.ts';
import { now } from '../frame/now.ts';
import { addressOf } from '../main/route.ts';
import { toneOf } from './tone.ts';

interface RowOptions {
  readonly session: SessionSummary;
  readonly index: number;
  readonly isSelected: boolean;
  readonly onSelect: () => void;
}

export function FleetRow({ session, index, isSelected, onSelect }: RowOptions) {
  const { id, key, groups, model, openPermissions, promptsInDoubt } = session;
  return (
    <div
      class="grid-row"
      role="row"
      aria-rowindex={index}
      aria-selected={isSelected}
      tabIndex={isSelected ? 0 : -1}
      onFocus={onSelect}
      onClick={() => {
        location.hash = addressOf({ page: 'session', id });
      }}
    >
      <Cell kind="who">
        <a href={addressOf({ page: 'session', id })} tabIndex={-1} title={id}>
          {id}
        </a>
        <span class="muted">{[...groups, ...(key === undefined ? [] : [key])].join(' · ')}</span>
      </Cell>
      <Cell kind="state">
        <span class={`state-mark ${toneOf(session)}`}>{session.position}</span>
        {openPermissions > 0 && <span class="chip asks">{openPermissions} to answer</span>}
        {promptsInDoubt > 0 && <span class="chip asks">{promptsInDoubt} in doubt</span>}
        {session.silentSince !== undefined && (
          <span class="chip bad">silent for {durationText(now.value - session.silentSince)}</span>
        )}
      </Cell>
      <Cell kind="model">{model ?? ''}</Cell>
      <Cell kind="number" label="Age">
        {session.createdAt === 0 ? '' : ageText(now.value - session.createdAt)}
      </Cell>
      <Cell kind="number" label="Cost">
        {costText(session.costUsd)}
      </Cell>
      <Cell kind="number" label="Queue">
        {session.queuedPrompts}
      </Cell>
      <Cell kind="number" label="Restarts">
        {session.restarts}
      </Cell>
    </div>
  );
}

interface CellOptions {
  readonly kind: string;
  readonly label?: string;
  readonly children: ComponentChildren;
}

function Cell({ kind, label, children }: CellOptions) {
  return (
    <div class={`cell ${kind}`} role="gridcell" data-label={label}>
      {children}
    </div>
  );
}
