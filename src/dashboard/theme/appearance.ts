import { effect, signal } from '@preact/signals';

export type Appearance = 'system' | 'light' | 'dark';

const KEY = 'troupe.appearance';

export const appearance = signal<Appearance>(remembered());

/** Puts the choice on the page, and keeps it in this browser. */
export function applyAppearance(): void {
  effect(() => {
    const { value } = appearance;
    if (value === 'system') delete document.documentElement.dataset['appearance'];
    else document.documentElement.dataset['appearance'] = value;
    try {
      localStorage.setItem(KEY, value);
    } catch {
      // A browser that keeps nothing shows the choice all the same.
    }
  });
}

export function nextAppearance(): void {
  const order: readonly Appearance[] = ['system', 'light', 'dark'];
  appearance.value = order[(order.indexOf(appearance.value) + 1) % order.length] ?? 'system';
}

function remembered(): Appearance {
  try {
    const kept = localStorage.getItem(KEY);
    return kept === 'light' || kept === 'dark' ? kept : 'system';
  } catch {
    return 'system';
  }
}
