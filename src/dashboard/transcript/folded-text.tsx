import { useSignal } from '@preact/signals';

const MOST_LINES = 14;
const MOST_LETTERS = 3_000;

/** Text as it is, its beginning only when it is long. */
export function FoldedText({ text, label }: { readonly text: string; readonly label: string }) {
  const isOpen = useSignal(false);
  const short = shortOf(text);
  const shown = isOpen.value || short === undefined ? text : short;
  return (
    <div class="folded">
      <pre tabIndex={0} role="region" aria-label={label}>
        {shown}
      </pre>
      {short !== undefined && (
        <button
          type="button"
          class="quiet"
          aria-expanded={isOpen.value}
          onClick={() => {
            isOpen.value = !isOpen.value;
          }}
        >
          {isOpen.value ? 'Show less' : `Show all ${text.split('\n').length} lines`}
        </button>
      )}
    </div>
  );
}

function shortOf(text: string): string | undefined {
  const lines = text.split('\n');
  if (lines.length <= MOST_LINES && text.length <= MOST_LETTERS) return undefined;
  return lines.slice(0, MOST_LINES).join('\n').slice(0, MOST_LETTERS);
}
