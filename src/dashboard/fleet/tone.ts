export type Tone = 'works' | 'asks' | 'bad' | 'waits' | 'rests' | 'over';

/** How a state looks: one tone for what needs nobody, others for what does. */
export function toneOf({ state, status }: { readonly state: string; readonly status: string }): Tone {
  if (status === 'requires_action' || state === 'awaiting-permission') return 'asks';
  if (state === 'quarantined' || state === 'failed') return 'bad';
  if (state === 'stopped' || state === 'closed') return 'over';
  if (['parked', 'held', 'backing-off', 'waiting', 'spawning', 'initializing', 'mcp-setup'].includes(state))
    return 'waits';
  return status === 'running' && state === 'ready' ? 'works' : 'rests';
}
