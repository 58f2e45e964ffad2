import type { Signal } from '@preact/signals';
import { Modal } from './modal.tsx';

const KEYS = [
  ['g', 'the fleet'],
  ['i', 'the inbox'],
  ['/', 'search in the fleet'],
  ['↑ ↓ Home End', 'go through the fleet'],
  ['Enter', 'open the session'],
  ['n', 'a new session'],
  ['p', 'write a prompt, on the page of a session'],
  ['Ctrl Enter', 'send it'],
  ['Escape', 'close what is open'],
  ['?', 'this list'],
] as const;

export function KeyboardHelp({ isOpen }: { readonly isOpen: Signal<boolean> }) {
  return (
    <Modal isOpen={isOpen} title="Keyboard">
      <dl class="keys">
        {KEYS.map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Modal>
  );
}
