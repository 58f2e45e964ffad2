import type { FleetView } from '../../view/fleet-view.ts';
import { costText } from '../frame/figures.ts';
import { hasEnded } from './fleet-rows.ts';

export function FleetSums({ fleet }: { readonly fleet: FleetView }) {
  const alive = fleet.sessions.filter((session) => !hasEnded(session));
  const costs = fleet.sessions.flatMap(({ costUsd }) => costUsd ?? []);
  const cost = costs.length === 0 ? undefined : costs.reduce((sum, one) => sum + one, 0);
  return (
    <dl class="sums">
      <Sum label="sessions" value={String(alive.length)} />
      <Sum label="working" value={String(alive.filter(({ status }) => status === 'running').length)} />
      <Sum label="questions" value={String(fleet.permissions.length)} />
      <Sum label="cost" value={costText(cost)} />
      {fleet.phase !== 'running' && <Sum label="supervisor" value={fleet.phase} />}
    </dl>
  );
}

function Sum({ label, value }: { readonly label: string; readonly value: string }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd class="figure">{value}</dd>
    </div>
  );
}
