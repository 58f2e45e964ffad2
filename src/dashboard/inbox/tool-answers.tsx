import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { PermissionView } from '../../view/session-view.ts';
import { editedInput, offeredRules } from './edited-input.ts';
import type { Answer } from './question-card.tsx';

interface ToolAnswersOptions {
  readonly question: PermissionView;
  readonly answer: Answer;
  readonly isSent: Signal<boolean>;
}

/** Allow, with another input or for the like of it, or deny with a reason. */
export function ToolAnswers({ question, answer, isSent }: ToolAnswersOptions) {
  const form = useSignal<'none' | 'deny' | 'edit'>('none');
  const rules = question.suppressAlwaysAllowRule === true ? [] : offeredRules(question.suggestions);
  const canRemember = question.suppressAlwaysAllowRule !== true && question.requiresUserInteraction !== true;
  const open = (next: 'deny' | 'edit') => () => {
    form.value = form.value === next ? 'none' : next;
  };
  return (
    <footer class="answers">
      <div class="answer-buttons">
        <button
          type="button"
          class={question.defaultToNo === true ? '' : 'primary'}
          data-answer="allow"
          disabled={isSent.value}
          onClick={() => void answer({ behavior: 'allow' })}
        >
          Allow
        </button>
        <button
          type="button"
          data-answer="deny"
          aria-expanded={form.value === 'deny'}
          disabled={isSent.value}
          onClick={open('deny')}
        >
          Deny …
        </button>
        <button
          type="button"
          data-answer="edit"
          aria-expanded={form.value === 'edit'}
          disabled={isSent.value}
          onClick={open('edit')}
        >
          Edit input …
        </button>
        {canRemember &&
          (['session', 'always'] as const).map((scope) => (
            <button
              key={scope}
              type="button"
              class="quiet"
              data-answer={scope}
              disabled={isSent.value}
              onClick={() => void answer({ behavior: 'allow', scope })}
            >
              {scope === 'session' ? 'Allow in this session' : 'Always allow'}
            </button>
          ))}
      </div>
      {canRemember && rules.length > 0 && (
        <p class="muted">
          What would be remembered: <code>{rules.join(', ')}</code>
        </p>
      )}
      {form.value === 'deny' && <DenyForm answer={answer} isSent={isSent} />}
      {form.value === 'edit' && <EditForm input={question.input} answer={answer} isSent={isSent} />}
    </footer>
  );
}

function DenyForm({ answer, isSent }: Pick<ToolAnswersOptions, 'answer' | 'isSent'>) {
  const message = useSignal('');
  const interrupts = useSignal(false);
  const field = useFocus<HTMLTextAreaElement>();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const said = message.value.trim();
        void answer({
          behavior: 'deny',
          ...(said === '' ? {} : { message: said }),
          ...(interrupts.value ? { interrupt: true } : {}),
        });
      }}
    >
      <label>
        What the model is told
        <textarea
          ref={field}
          rows={2}
          value={message.value}
          onInput={({ currentTarget }) => {
            message.value = currentTarget.value;
          }}
        />
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={interrupts.value}
          onChange={({ currentTarget }) => {
            interrupts.value = currentTarget.checked;
          }}
        />
        End the turn, too
      </label>
      <button type="submit" class="danger" disabled={isSent.value}>
        Deny
      </button>
    </form>
  );
}

function EditForm({
  input,
  answer,
  isSent,
}: { readonly input: unknown } & Pick<ToolAnswersOptions, 'answer' | 'isSent'>) {
  const text = useSignal(JSON.stringify(input, null, 2) ?? '{}');
  const field = useFocus<HTMLTextAreaElement>();
  const read = editedInput(text.value);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if ('input' in read) void answer({ behavior: 'allow', updatedInput: read.input });
      }}
    >
      <label>
        The input it runs with
        <textarea
          ref={field}
          class="code"
          rows={Math.min(14, text.value.split('\n').length + 1)}
          spellcheck={false}
          aria-invalid={'fault' in read}
          value={text.value}
          onInput={({ currentTarget }) => {
            text.value = currentTarget.value;
          }}
        />
      </label>
      {'fault' in read && (
        <p class="bad" role="alert">
          {read.fault}
        </p>
      )}
      <button type="submit" class="primary" disabled={isSent.value || 'fault' in read}>
        Allow with this input
      </button>
    </form>
  );
}

/** The field that has just been asked for is written into at once. */
function useFocus<T extends HTMLElement>() {
  const element = useRef<T>(null);
  useEffect(() => element.current?.focus(), []);
  return element;
}
