import { useMemo } from 'preact/hooks';
import { changedLines } from '../../view/changed-lines.ts';
import type { ToolChange } from '../../view/tool-change.ts';

const SIGNS = { same: ' ', gone: '−', new: '+', gap: '⋯' } as const;

/** What a tool changes in a file, line by line. */
export function ChangeView({ change }: { readonly change: ToolChange }) {
  const parts = useMemo(() => change.parts.map(({ before, after }) => changedLines(before, after)), [change]);
  return (
    <figure class="change" aria-label={`Change of ${change.path}`}>
      <figcaption>{change.path}</figcaption>
      <pre tabIndex={0}>
        {parts.map((lines, part) =>
          lines.map(({ kind, text }, index) => (
            <span key={`${part}:${index}`} class={`line ${kind}`}>
              <span class="sign">{SIGNS[kind]}</span>
              {`${text}\n`}
            </span>
          )),
        )}
      </pre>
    </figure>
  );
}
