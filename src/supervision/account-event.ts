/** News of an account that sessions share, told once for all of them. Times in epoch milliseconds. */
export type AccountFleetEvent = { readonly account: string; readonly at: number } & (
  | {
      /** A limit refuses work. `resumesAt` is when one session tries again; null when somebody has to say so. */
      readonly type: 'quota.reached';
      readonly window: string;
      readonly resetsAt: number | null;
      readonly resumesAt: number | null;
    }
  /** The API answers again, and everybody who waited has been let go on. */
  | { readonly type: 'quota.reset' }
  /** Nobody is logged in: `message` says what the CLI or the API said. */
  | { readonly type: 'account.locked'; readonly message: string }
  | { readonly type: 'account.unlocked' }
);
