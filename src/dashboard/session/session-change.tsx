import { useSignal } from '@preact/signals';
import type { SessionView } from '../../view/session-view.ts';
import { Modal } from '../frame/modal.tsx';
import { tell } from '../frame/toast.ts';
import { attempt, useSource } from '../main/page.ts';
import { addressOf } from '../main/route.ts';

const MODES = ['default', 'plan', 'acceptEdits', 'dontAsk'] as const;

interface ChangeOptions {
  readonly view: SessionView;
  /** Why it may not be changed by whoever looks. */
  readonly refusal: string | undefined;
}

/** Model, permission mode and budget of a session, and a fork of it. */
export function SessionChange({ view, refusal }: ChangeOptions) {
  const source = useSource();
  const isOpen = useSignal(false);
  const path = `sessions/${encodeURIComponent(view.id)}`;
  const isOver = view.state === 'stopped';
  const change = async (form: FormData) => {
    const text = (name: string) => String(form.get(name) ?? '').trim();
    const [model, mode, usd] = [text('model'), text('mode'), Number(text('usd'))];
    const isDone = await attempt(source, 'The change was refused.', async () => {
      if (model !== (view.model ?? ''))
        await source.ask('POST', `${path}/model`, { model: model === '' ? null : model });
      if (mode !== '' && mode !== view.permissionMode) await source.ask('POST', `${path}/permission-mode`, { mode });
      if (usd > 0) await source.ask('POST', `${path}/budget`, { usd });
    });
    if (!isDone) return;
    isOpen.value = false;
    tell({ tone: 'good', title: 'It is changed.' });
  };
  const fork = () =>
    attempt(source, 'The fork was refused.', async () => {
      const answer = await source.ask('POST', `${path}/fork`, { includePartialMessages: true });
      if (typeof answer === 'object' && answer !== null && 'id' in answer && typeof answer.id === 'string')
        location.hash = addressOf({ page: 'session', id: answer.id });
    });
  const modes = [...new Set([view.permissionMode ?? '', ...MODES])];
  return (
    <>
      <button
        type="button"
        disabled={isOver || refusal !== undefined}
        title={refusal}
        onClick={() => {
          isOpen.value = true;
        }}
      >
        Change …
      </button>
      <button
        type="button"
        disabled={view.conversationId === undefined || refusal !== undefined}
        title={refusal ?? 'Another session goes on with a copy of the conversation.'}
        onClick={() => void fork()}
      >
        Fork
      </button>
      <Modal isOpen={isOpen} title={`Change ${view.id}`}>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void change(new FormData(event.currentTarget));
          }}
        >
          <label>
            Model, from the next turn on
            <input name="model" spellcheck={false} defaultValue={view.model ?? ''} placeholder="that of the CLI" />
          </label>
          <label>
            Permission mode
            <select name="mode" defaultValue={view.permissionMode ?? ''}>
              {modes.map((mode) => (
                <option key={mode} value={mode}>
                  {mode === '' ? 'as it is' : mode}
                </option>
              ))}
            </select>
          </label>
          <label>
            Add to its budget, in US dollars
            <input name="usd" type="number" min="0" step="any" placeholder="nothing" />
          </label>
          <footer>
            <button type="submit" class="primary">
              Change
            </button>
          </footer>
        </form>
      </Modal>
    </>
  );
}
