import type { SessionOptions } from '../launch/session-options.ts';

/** What says by itself which conversation it is, or that nothing is kept of it. */
const NAMED = ['sessionId', 'resume', 'continue', 'sessionStore'] as const satisfies readonly (keyof SessionOptions)[];

/**
 * The id of a conversation whose options name none. The CLI would make one up and tell it with the first turn: a host that is
 * lost before it heard of it would begin another conversation, and have there done once more what the lost process had done (P2).
 */
export class OwnConversation {
  #id: string;
  #isUsed = false;

  constructor(id: string) {
    this.#id = id;
  }

  get id(): string {
    return this.#id;
  }

  /** True until a process was started for it: so long it may still go by the id of a process that was started before. */
  get isExchangeable(): boolean {
    return !this.#isUsed;
  }

  /** A process is about to be started with this id, or with that of the process that waited for it. */
  use(id = this.#id): void {
    this.#id = id;
    this.#isUsed = true;
  }
}

/** One with that id; undefined where the options say which conversation it is. */
export function ownConversationOf(options: SessionOptions, id: string): OwnConversation | undefined {
  const isNamed = NAMED.some((field) => options[field] !== undefined && options[field] !== false);
  return isNamed || options.persistSession === false ? undefined : new OwnConversation(id);
}
