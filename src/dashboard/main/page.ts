import { signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { tell } from '../frame/toast.ts';
import { type Route, routeOf } from './route.ts';
import type { Source } from './source.ts';

export const route = signal<Route>(routeOf(globalThis.location?.hash ?? ''));

export const SourceContext = createContext<Source | undefined>(undefined);

/** Where this page gets everything from. */
export function useSource(): Source {
  const source = useContext(SourceContext);
  if (source === undefined) throw new Error('There is no source around this component.');
  return source;
}

/** Does something, and tells when the server would not. True when it did. */
export async function attempt(source: Source, what: string, work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    const problem = source.problemOf(error);
    tell({ tone: 'bad', title: what, text: problem.detail ?? problem.title, code: problem.code });
    return false;
  }
}

export function followAddress(): void {
  addEventListener('hashchange', () => {
    route.value = routeOf(location.hash);
  });
}
