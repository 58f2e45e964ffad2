/** What every item of a transcript has. */
interface Item {
  /** Unique in its transcript, and the same on every reading of the log. */
  readonly id: string;
  /** Of the event that it came from, or that it began with. */
  readonly seq: number;
  readonly at: number;
  /** The tool use of the subagent that it belongs to; undefined in the main conversation. */
  readonly parent?: string;
}

/** What the user, or somebody in the user's name, said. */
export interface PromptItem extends Item {
  readonly kind: 'prompt';
  /** Of the session's own prompts; undefined for what others put into the conversation. */
  readonly promptId?: string;
  readonly text: string;
  /** Content that is not text, by type, such as `image`. */
  readonly attachments: readonly string[];
}

export interface TextItem extends Item {
  readonly kind: 'text' | 'thinking';
  readonly text: string;
  /** More of it may come. */
  readonly isStreaming: boolean;
  /** Of the CLI's message that it stands in. */
  readonly messageId?: string;
  readonly model?: string;
}

export interface ToolItem extends Item {
  readonly kind: 'tool';
  /** Of the CLI's message that it stands in. */
  readonly messageId?: string;
  readonly toolUseId: string;
  readonly name: string;
  /** Undefined while it streams. */
  readonly input?: unknown;
  /** The input as far as it was streamed. */
  readonly partialInput?: string;
  /** `asking`: a permission request for it is open. `abandoned`: its turn ended without a result of it. */
  readonly status: 'streaming' | 'running' | 'asking' | 'done' | 'failed' | 'denied' | 'abandoned';
  readonly result?: ToolResultView;
  readonly endedAt?: number;
  /** The permission request about it. */
  readonly permission?: { readonly id: string; readonly outcome?: string; readonly by?: string; readonly who?: string };
}

export interface ToolResultView {
  readonly text: string;
  readonly isError: boolean;
  readonly attachments: readonly string[];
}

/** How a turn ended. */
export interface ResultItem extends Item {
  readonly kind: 'result';
  readonly subtype: string;
  readonly isError: boolean;
  readonly text?: string;
  readonly errors: readonly string[];
  /** Running total of the process, in US dollars. */
  readonly totalCostUsd?: number;
  readonly durationMs?: number;
  readonly turns?: number;
}

/** The conversation was made shorter here. */
export interface CompactItem extends Item {
  readonly kind: 'compact';
  readonly trigger?: string;
  readonly tokensBefore?: number;
}

/** Something that happened to the session between two messages: an event that is no message, or a notice of the CLI. */
export interface NoticeItem extends Item {
  readonly kind: 'notice';
  /** The type of the event, or `system/<subtype>`. */
  readonly about: string;
  readonly text: string;
  readonly isProblem: boolean;
}

/** A message of a kind that this release does not know: shown as it is. */
export interface UnknownItem extends Item {
  readonly kind: 'unknown';
  readonly messageType: string;
  readonly subtype?: string;
  readonly line: string;
}

export type TranscriptItem = PromptItem | TextItem | ToolItem | ResultItem | CompactItem | NoticeItem | UnknownItem;

/** What was said, in order: the fold of a log's messages. JSON, bounded. */
export interface Transcript {
  readonly items: readonly TranscriptItem[];
  /** The last event that it holds. */
  readonly seq: number;
  /** How many items were dropped at the front, because of the bound. */
  readonly dropped: number;
  /** The message that streams at present, by the tool use of its subagent; empty for the main conversation. */
  readonly streams: Readonly<Record<string, string>>;
}

/** Of a log of which nothing was read. */
export const EMPTY_TRANSCRIPT: Transcript = { items: [], seq: 0, dropped: 0, streams: {} };
