import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface ModalOptions {
  readonly isOpen: Signal<boolean>;
  readonly title: string;
  /** `wide`: as large as the window. */
  readonly kind?: 'wide';
  readonly children: ComponentChildren;
}

/** A dialog of the browser: it keeps the focus, and Escape closes it. */
export function Modal({ isOpen, title, kind, children }: ModalOptions) {
  const element = useRef<HTMLDialogElement>(null);
  const { value } = isOpen;
  useEffect(() => {
    const dialog = element.current;
    if (value && dialog?.open === false) dialog.showModal();
    if (!value && dialog?.open === true) dialog.close();
  }, [value]);
  const close = () => {
    isOpen.value = false;
  };
  return (
    <dialog ref={element} class={kind} onClose={close} aria-label={title}>
      <header>
        <h2>{title}</h2>
        <button type="button" class="quiet" aria-label="Close" onClick={close}>
          ×
        </button>
      </header>
      {value && children}
    </dialog>
  );
}
