/** What of a session is not in its store yet; JSON. */
export interface StoreWait {
  /** Epoch milliseconds when the oldest of it happened. */
  readonly since: number;
  readonly events: number;
  /** Lines to its process, prompts and answers, that go out when what they rest on is durable. */
  readonly heldLines: number;
  /** Why the store did not take it; undefined while it is being written. It is tried again until it is kept. */
  readonly refusal: { readonly code: string; readonly message: string } | undefined;
}

/** What a supervisor waits for at its store; JSON. */
export interface FleetStoreWait {
  /** `opening`: what it holds is not taken up yet. `failing`: it is tried again until it takes what it is given. `lost`: for good. */
  readonly state: 'opening' | 'writing' | 'failing' | 'lost';
  /** Epoch milliseconds since when. */
  readonly since: number;
  /** Those with something that is not durable yet. */
  readonly sessions: number;
  readonly refusal: { readonly code: string; readonly message: string } | undefined;
}

/** What would move it on, in words. */
export function storeWords({ events, heldLines, refusal }: StoreWait): string {
  const what = `the store to keep ${events} event(s)${heldLines === 0 ? '' : `, for which ${heldLines} line(s) to the process wait`}`;
  return refusal === undefined ? what : `${what}; it is tried again and again: ${refusal.message}`;
}
