import { dismiss, toasts } from './toast.ts';

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, tone, title, text, code }) => (
        <div key={id} class={`toast ${tone}`}>
          <div>
            <strong>{title}</strong>
            {text !== undefined && <p>{text}</p>}
            {code !== undefined && <code>{code}</code>}
          </div>
          <button type="button" class="quiet" aria-label="Dismiss" onClick={() => dismiss(id)}>
            ×
          </button>
        </div>
      ))}
    </div>
  );
}
