import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { costText, durationText } from '../frame/figures.ts';
import { now } from '../frame/now.ts';
import { useSource } from '../main/page.ts';
import { addressOf } from '../main/route.ts';
import { type GroupNode, type Supervision, supervisionOf } from './supervision.ts';

/** How often it is asked for anew; the fleet stream tells of groups only that something happened. */
const ASK_EVERY_MS = 2_000;

/** Who supervises whom, how often was restarted, and what money and accounts still allow. */
export function TreePage() {
  const source = useSource();
  const told = useSignal<Supervision | undefined>(undefined);
  useEffect(() => {
    document.title = 'Supervision · Troupe';
    let isWanted = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = async () => {
      // Without an answer the page keeps what it has: the connection badge says why.
      const answer = await source.ask('GET', 'supervisor').catch(() => undefined);
      if (!isWanted) return;
      told.value = supervisionOf(answer) ?? told.value;
      timer = setTimeout(() => void ask(), ASK_EVERY_MS);
    };
    void ask();
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [source, told]);

  const { value } = told;
  if (value === undefined) return <p class="empty">Asking the supervisor …</p>;
  const members = new Set(value.groups.flatMap(idsIn));
  const alone = source.fleet.value.sessions.filter(({ id, ended }) => !members.has(id) && ended === undefined);
  return (
    <section class="tree" aria-label="Supervision">
      <h1>
        Supervisor <span class="chip">{value.state}</span>
      </h1>
      {value.because !== undefined && <p class="muted">{value.because}</p>}
      <p class="figure muted">{value.load.map(([name, count]) => `${count} ${name}`).join(' · ')}</p>
      <ul class="card branches">
        {value.groups.map((group) => (
          <Group key={group.id} group={group} />
        ))}
        {alone.map(({ id, state }) => (
          <SessionLeaf key={id} id={id} state={state} />
        ))}
        {value.groups.length + alone.length === 0 && <li class="muted">It supervises nothing.</li>}
      </ul>
      <Money supervision={value} />
      <Accounts supervision={value} />
    </section>
  );
}

function Group({ group }: { readonly group: GroupNode }) {
  return (
    <li>
      <p>
        <strong>{group.id}</strong> <span class={`chip ${toneOf(group.state)}`}>{group.state}</span>{' '}
        <code>{group.strategy}</code> <span class="figure muted">{group.restarts}</span>
        {group.startsAt !== undefined && group.startsAt > now.value && (
          <span class="figure muted"> starts in {durationText(group.startsAt - now.value)}</span>
        )}
      </p>
      {group.because !== undefined && <p class="muted">{group.because}</p>}
      <ul class="branches">
        {group.children.map((child) =>
          child.group === undefined ? (
            <SessionLeaf key={child.id} id={child.id} state={child.state} />
          ) : (
            <Group key={child.id} group={child.group} />
          ),
        )}
      </ul>
    </li>
  );
}

function SessionLeaf({ id, state }: { readonly id: string; readonly state: string }) {
  return (
    <li>
      <a href={addressOf({ page: 'session', id })}>{id}</a> <span class={`chip ${toneOf(state)}`}>{state}</span>
    </li>
  );
}

function Money({ supervision: { spent } }: { readonly supervision: Supervision }) {
  if (spent.length === 0) return null;
  return (
    <section class="card">
      <h2>Money</h2>
      <dl class="rows">
        {spent.map(({ name, spentUsd, limitUsd }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class="figure">
              {costText(spentUsd)} {limitUsd !== undefined && <span class="muted">of {costText(limitUsd)}</span>}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Accounts({ supervision: { accounts } }: { readonly supervision: Supervision }) {
  if (accounts.length === 0) return null;
  return (
    <section class="card">
      <h2>Accounts</h2>
      <dl class="rows">
        {accounts.map(({ key, state, sessions, waiting, resumesAt, lock }) => (
          <div key={key}>
            <dt>{key}</dt>
            <dd>
              <span class={`chip ${state === 'open' ? 'good' : 'asks'}`}>{state}</span> {sessions} sessions
              {waiting > 0 && `, ${waiting} wait`}
              {resumesAt !== undefined && `, tries again in ${durationText(resumesAt - now.value)}`}
              {lock !== undefined && `: ${lock}`}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function idsIn(group: GroupNode): string[] {
  return group.children.flatMap((child) => (child.group === undefined ? [child.id] : idsIn(child.group)));
}

function toneOf(state: string): string {
  if (state === 'quarantined' || state === 'failed' || state === 'giving-up') return 'bad';
  if (state === 'awaiting-permission' || state === 'parked' || state === 'held') return 'asks';
  return state === 'running' || state === 'ready' ? 'works' : '';
}
