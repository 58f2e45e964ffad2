import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { FleetPermission } from '../../view/fleet-view.ts';
import { isTyping } from '../frame/keys.ts';
import { useSource } from '../main/page.ts';
import { addressOf } from '../main/route.ts';
import { type AnsweredQuestion, inboxModel } from './inbox-model.ts';
import { QuestionCard } from './question-card.tsx';

/** Every open question of every session, oldest first, and who answered those that were open a moment ago. */
export function InboxPage() {
  const source = useSource();
  const model = useMemo(() => inboxModel(source), [source]);
  const chosen = useSignal<string | undefined>(undefined);
  useEffect(() => {
    document.title = 'Inbox · Troupe';
    return () => model.close();
  }, [model]);
  useEffect(() => {
    const listener = (event: KeyboardEvent) => {
      if (isTyping(event)) return;
      const { permissions } = source.fleet.value;
      if (event.key === 'j' || event.key === 'k') chosen.value = stepped(permissions, chosen.value, event.key);
      if (chosen.value !== undefined && (event.key === 'a' || event.key === 'd' || event.key === 'e')) {
        event.preventDefault();
        const name = { a: 'allow', d: 'deny', e: 'edit' }[event.key];
        const card = [...document.querySelectorAll<HTMLElement>('.question.chosen')].at(0);
        card?.querySelector<HTMLButtonElement>(`[data-answer="${name}"]`)?.click();
      }
    };
    addEventListener('keydown', listener);
    return () => removeEventListener('keydown', listener);
  }, [source, chosen]);
  const current = chosen.value;
  useEffect(() => {
    if (current !== undefined) document.querySelector('.question.chosen')?.scrollIntoView({ block: 'nearest' });
  }, [current]);

  const { permissions } = source.fleet.value;
  const answered = model.answered.value;
  return (
    <section class="inbox" aria-label="Inbox">
      <div class="inbox-head">
        <h1>Inbox</h1>
        <span class="muted figure" role="status">
          {permissions.length === 1 ? '1 open question' : `${permissions.length} open questions`}
        </span>
        <span class="muted keys-hint">
          <kbd>j</kbd> <kbd>k</kbd> choose · <kbd>a</kbd> allow · <kbd>d</kbd> deny · <kbd>e</kbd> edit
        </span>
      </div>
      {permissions.length === 0 && <p class="empty">Nobody waits for an answer.</p>}
      {permissions.map((question) => (
        <QuestionCard
          key={question.globalId}
          question={question}
          sessionId={question.sessionId}
          globalId={question.globalId}
          isChosen={question.globalId === current}
        />
      ))}
      {answered.length > 0 && (
        <section class="answered" aria-label="Answered">
          <h2>Answered</h2>
          <ul aria-live="polite">
            {answered.map((one) => (
              <Answered key={one.question.globalId} one={one} />
            ))}
          </ul>
        </section>
      )}
    </section>
  );
}

function Answered({ one }: { readonly one: AnsweredQuestion }) {
  const { question, outcome, by } = one;
  const tone = outcome === 'allowed' || outcome === 'granted' || outcome === 'accepted' ? 'good' : 'bad';
  return (
    <li data-answered={question.id}>
      <span class={`chip ${tone}`}>{outcome}</span> <strong>{question.toolName ?? question.kind}</strong> of{' '}
      <a href={addressOf({ page: 'session', id: question.sessionId })}>{question.sessionId}</a> by {by}
    </li>
  );
}

function stepped(permissions: readonly FleetPermission[], chosen: string | undefined, key: 'j' | 'k') {
  const at = permissions.findIndex(({ globalId }) => globalId === chosen);
  const next = at === -1 ? 0 : at + (key === 'j' ? 1 : -1);
  return permissions[Math.min(permissions.length - 1, Math.max(0, next))]?.globalId;
}
