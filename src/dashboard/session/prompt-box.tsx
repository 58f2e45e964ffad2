import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { SessionView } from '../../view/session-view.ts';
import { isTyping } from '../frame/keys.ts';
import { attempt, useSource } from '../main/page.ts';

const CHOICES = [
  { onBusy: 'enqueue', label: 'wait its turn' },
  { onBusy: 'steer', label: 'steer the turn' },
  { onBusy: 'interrupt', label: 'interrupt first' },
  { onBusy: 'reject', label: 'refuse it' },
] as const;

type OnBusy = (typeof CHOICES)[number]['onBusy'];

export function PromptBox({ view }: { readonly view: SessionView }) {
  const source = useSource();
  const text = useSignal('');
  const onBusy = useSignal<OnBusy>('enqueue');
  const isSending = useSignal(false);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    const listener = (event: KeyboardEvent) => {
      if (isTyping(event) || event.key !== 'p') return;
      event.preventDefault();
      field.current?.focus();
    };
    addEventListener('keydown', listener);
    return () => removeEventListener('keydown', listener);
  }, []);

  // The same text sent again after a failure is the same prompt: its id says so (P2).
  const id = useRef(newId());
  const send = async () => {
    const content = text.value;
    if (content.trim() === '' || isSending.value) return;
    isSending.value = true;
    const path = `sessions/${encodeURIComponent(view.id)}/prompts`;
    const isSent = await attempt(source, 'The prompt was not accepted.', () =>
      source.ask('POST', path, { content, id: id.current, onBusy: onBusy.value }),
    );
    isSending.value = false;
    if (!isSent) return;
    text.value = '';
    id.current = newId();
  };
  const isOver = view.state === 'stopped';
  const isBusy = view.status !== 'idle' || view.prompts.some(({ state }) => state !== 'ended');
  return (
    <form
      class="prompt-box"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <textarea
        ref={field}
        rows={3}
        aria-label="Prompt"
        placeholder={isOver ? 'The session has ended.' : 'Write a prompt'}
        disabled={isOver}
        value={text.value}
        onInput={({ currentTarget }) => {
          // Another text is another prompt.
          if (currentTarget.value !== text.value) id.current = newId();
          text.value = currentTarget.value;
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void send();
        }}
      />
      <div class="prompt-tools">
        <label>
          <span class={isBusy ? '' : 'muted'}>If it is busy:</span>
          <select
            value={onBusy.value}
            onChange={({ currentTarget }) => {
              onBusy.value = CHOICES.find((choice) => choice.onBusy === currentTarget.value)?.onBusy ?? 'enqueue';
            }}
          >
            {CHOICES.map((choice) => (
              <option key={choice.onBusy} value={choice.onBusy}>
                {choice.label}
              </option>
            ))}
          </select>
        </label>
        <button type="submit" class="primary" disabled={isOver || isSending.value || text.value.trim() === ''}>
          Send
        </button>
      </div>
    </form>
  );
}

/** `randomUUID` is there only where the page is from this host or encrypted; the random values are everywhere. */
function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
