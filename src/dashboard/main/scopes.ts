import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useSource } from './page.ts';

/** Why the login of this page may not do what takes that scope; undefined when it may, or nobody said yet. */
export function useRefusal(scope: 'answer' | 'control'): string | undefined {
  const source = useSource();
  const refusal = useSignal<string | undefined>(undefined);
  useEffect(() => {
    let isWanted = true;
    const ask = async () => {
      const text = refusalOf(await source.ask('GET', 'me').catch(() => undefined), scope);
      if (isWanted) refusal.value = text;
    };
    void ask();
    return () => {
      isWanted = false;
    };
  }, [source, scope, refusal]);
  return refusal.value;
}

/** Reads the answer of `GET /v1/me`; of what says nothing, nothing is refused here. */
export function refusalOf(me: unknown, scope: string): string | undefined {
  if (typeof me !== 'object' || me === null || !('scopes' in me) || !Array.isArray(me.scopes)) return undefined;
  const isRefused = !me.scopes.includes(scope);
  return isRefused ? `This login lacks the scope “${scope}”.` : undefined;
}
