/** What the CLIs of a world keep on their disk, and what they have done: it outlives processes and hosts. */
export class CliMemory {
  readonly #conversations = new Map<string, Conversation>();
  /** Texts of prompts that stood in the input of a process, whether or not it read them. */
  readonly given = new Set<string>();
  /** By the text of a prompt that a process has read. */
  readonly traces = new Map<string, PromptTrace>();
  /** Every answer that a question got, by its id on the wire. */
  readonly answers = new Map<string, WireAnswer[]>();
  /** Questions that were taken back, or whose process is gone. */
  readonly questions = new Map<string, WireQuestion>();
  /** What tools did, by command. */
  readonly toolRuns = new Map<string, number>();

  conversation(id: string): Conversation {
    const known = this.#conversations.get(id) ?? { done: new Set(), acted: new Set() };
    this.#conversations.set(id, known);
    return known;
  }

  trace(text: string): PromptTrace {
    const known = this.traces.get(text) ?? { begun: 0, said: [], wires: new Set() };
    this.traces.set(text, known);
    return known;
  }
}

interface Conversation {
  /** Prompts whose turn came to its end, by uuid. */
  readonly done: Set<string>;
  /** Prompts whose turn called a tool. */
  readonly acted: Set<string>;
}

export interface PromptTrace {
  /** How often a turn of it began. */
  begun: number;
  /** How its turns ended, in order, as the CLI said it. */
  readonly said: ('completed' | 'failed' | 'aborted' | 'done' | 'cancelled')[];
  readonly wires: Set<string>;
}

export interface WireQuestion {
  readonly sessionId: string;
  readonly command: string;
  readonly toolUseId: string;
  isOpen: boolean;
}

export interface WireAnswer {
  readonly behavior: string;
  /** Whether the question was still open. */
  readonly inTime: boolean;
}
