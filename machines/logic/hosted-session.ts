/** What a turn came to, as far as every session tells it. */
export interface TurnOutcome {
  /** `completed`, `failed`, `interrupted`, `cancelled` or `lost`. */
  readonly outcome: string;
  /** The final text of the model; undefined unless the turn completed. */
  readonly text: string | undefined;
  readonly error?: { readonly code: string; readonly message: string } | undefined;
}

/** How a prompt is sent; see `PromptOptions` of `troupe`. */
export interface HostedPromptOptions {
  readonly id?: string | undefined;
  readonly onBusy?: 'enqueue' | 'steer' | 'interrupt' | 'reject' | undefined;
  readonly untrusted?: boolean | undefined;
}

/** The part of a session that a turn needs; a `Session` of `troupe` fits. */
export interface PromptedSession<Outcome extends TurnOutcome = TurnOutcome> {
  prompt(content: string, options?: HostedPromptOptions): { readonly id: string; readonly result: Promise<Outcome> };
  /** True: the prompt will not run. */
  cancelPrompt(id: string): Promise<boolean>;
  interrupt(options?: { cancelQueued?: boolean }): Promise<unknown>;
}

/** An open question of the CLI. */
export interface HostedQuestion {
  readonly id: string;
  readonly kind: string;
  readonly toolName: string | undefined;
  readonly input: unknown;
}

/** What the answer to a question about a tool may be; other kinds have their own, see `docs/permissions.md`. */
export type HostedAnswer =
  | { readonly behavior: 'allow'; readonly updatedInput?: Record<string, unknown> }
  | { readonly behavior: 'deny'; readonly message: string; readonly interrupt?: boolean };

/** The part of a session that `sessionLogic` needs; a `Session` of `troupe` fits. */
export interface HostedSession extends PromptedSession {
  readonly id: string;
  readonly state: string;
  readonly ended: Promise<{ readonly reason: string; readonly error?: unknown }>;
  readonly permissions: {
    pending(): readonly HostedQuestion[];
    answer(id: string, answer: HostedAnswer, options?: { by?: string }): Promise<void>;
  };
  snapshot(): { readonly seq: number };
  events(options: { from: number }): AsyncIterable<{ readonly type: string }>;
  close(): Promise<void>;
}

/** The events of a session that are told on. */
export type HostedEvent =
  | { readonly type: 'session.state-changed'; readonly state: string; readonly from: string | undefined }
  | {
      readonly type: 'session.restarting';
      readonly cause: { readonly code: string; readonly message: string };
      readonly delayMs: number;
    }
  | { readonly type: 'session.resumed' }
  | {
      readonly type: 'permission.requested';
      readonly requestId: string;
      readonly kind: string;
      readonly toolName: string | undefined;
      readonly input: unknown;
    }
  | {
      readonly type: 'permission.settled';
      readonly requestId: string;
      readonly outcome: string;
      readonly by: string;
    };
