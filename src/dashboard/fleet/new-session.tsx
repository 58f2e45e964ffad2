import { type Signal, useSignal } from '@preact/signals';
import { Modal } from '../frame/modal.tsx';
import { attempt, useSource } from '../main/page.ts';
import { addressOf } from '../main/route.ts';

const MODES = ['default', 'plan', 'acceptEdits', 'dontAsk'] as const;

/** Starts a session, sends it its first prompt, and goes to its page. */
export function NewSession({ isOpen }: { readonly isOpen: Signal<boolean> }) {
  const source = useSource();
  const isBusy = useSignal(false);
  const start = async (form: FormData) => {
    const text = (name: string) => String(form.get(name) ?? '').trim();
    const given = (name: string) => (text(name) === '' ? {} : { [name]: text(name) });
    const options = {
      ...given('id'),
      ...given('cwd'),
      ...given('model'),
      ...given('permissionMode'),
      // So that the transcript can be read while it is written.
      includePartialMessages: true,
    };
    isBusy.value = true;
    await attempt(source, 'The session was not started.', async () => {
      const view = await source.ask('POST', 'sessions?wait=false', options);
      const id = idOf(view);
      isOpen.value = false;
      location.hash = addressOf({ page: 'session', id });
      const content = text('prompt');
      if (content !== '') await source.ask('POST', `sessions/${encodeURIComponent(id)}/prompts`, { content });
    });
    isBusy.value = false;
  };
  return (
    <Modal isOpen={isOpen} title="New session">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void start(new FormData(event.currentTarget));
        }}
      >
        <label>
          Working directory
          <input name="cwd" spellcheck={false} placeholder="that of the server" />
        </label>
        <label>
          First prompt
          <textarea name="prompt" rows={4} />
        </label>
        <div class="pair">
          <label>
            Model
            <input name="model" spellcheck={false} placeholder="that of the CLI" />
          </label>
          <label>
            Permission mode
            <select name="permissionMode">
              {MODES.map((mode) => (
                <option key={mode} value={mode === 'default' ? '' : mode}>
                  {mode}
                </option>
              ))}
            </select>
          </label>
        </div>
        <label>
          Id
          <input name="id" spellcheck={false} placeholder="made up" />
        </label>
        <footer>
          <button
            type="button"
            onClick={() => {
              isOpen.value = false;
            }}
          >
            Cancel
          </button>
          <button type="submit" class="primary" disabled={isBusy.value}>
            Start
          </button>
        </footer>
      </form>
    </Modal>
  );
}

function idOf(view: unknown): string {
  if (typeof view === 'object' && view !== null && 'id' in view && typeof view.id === 'string') return view.id;
  throw new Error('The server did not say which session it started.');
}
