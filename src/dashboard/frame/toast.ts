import { signal } from '@preact/signals';

export interface Toast {
  readonly id: number;
  readonly tone: 'good' | 'bad';
  readonly title: string;
  readonly text?: string;
  /** Of the table of errors. */
  readonly code?: string;
}

const MOST = 4;

export const toasts = signal<readonly Toast[]>([]);

let count = 0;

/** Good news leaves by itself; bad news stays until somebody has seen it. */
export function tell(news: Omit<Toast, 'id'>): void {
  count += 1;
  const id = count;
  toasts.value = [...toasts.value, { ...news, id }].slice(-MOST);
  if (news.tone === 'good') setTimeout(() => dismiss(id), 5_000);
}

export function dismiss(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}
