import type { CliMessage } from './cli-message.ts';
import type { DialectName } from './dialect.ts';

/** What one line of the CLI turned out to be. */
export type Decoded =
  | { readonly kind: 'message'; readonly message: CliMessage }
  | {
      readonly kind: 'control-request';
      readonly requestId: string;
      /** Empty when the request names none: such a request still wants its error answer (WIRE §9). */
      readonly subtype: string;
      readonly request: Record<string, unknown>;
    }
  | { readonly kind: 'control-response'; readonly requestId: string; readonly outcome: ControlOutcome }
  | { readonly kind: 'control-cancel'; readonly requestId: string }
  | { readonly kind: 'keep-alive' }
  /** The peer speaks another dialect than the one it is spoken to in, and this codec cannot change over. */
  | { readonly kind: 'dialect-mismatch'; readonly seen: DialectName; readonly sample: string }
  | {
      readonly kind: 'diagnostic';
      /** `foreign`: no protocol at all; `corrupt`: begins like a message and does not parse; `untyped`: an object without type. */
      readonly reason: 'foreign' | 'corrupt' | 'untyped' | 'malformed-control';
      /** The beginning of the line, at most 512 characters. */
      readonly sample: string;
      readonly bytes: number;
    };

export type ControlOutcome =
  | {
      readonly ok: true;
      /** Empty when the answer has no payload, or one that is no object (then it is in `beside.response`). */
      readonly response: Record<string, unknown>;
      /** What stood beside the payload, such as `pending_permission_requests` (WIRE §1). */
      readonly beside: Record<string, unknown>;
    }
  | { readonly ok: false; readonly error: string; readonly errorCode: string | undefined };

export interface PromptLine {
  /** The CLI's deduplication key (WIRE §11). */
  readonly uuid: string;
  /** Text, or content blocks. */
  readonly content: string | readonly unknown[];
  readonly priority?: 'now' | 'next' | 'later';
  /** The text is no command, whatever it begins with; obeyed since 2.1.248. */
  readonly isVerbatim?: boolean;
  /** What the message carries beside them, as it is. */
  readonly fields?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * A dialect of the protocol: lenient in, strict out. Every encoder returns one line with its line feed; an empty text where the
 * dialect has nothing to say. It may remember what it said and heard, so each process has one of its own (`createCodec`).
 */
export interface Codec {
  /** Tells what the line holds: mostly one thing, nothing for a blank line, two when a banner is glued to a frame (R11). Never throws. */
  decode(line: Buffer, emit: (decoded: Decoded) => void): void;
  /** True while it reads the pieces of a text as `stream-json` writes them: runs of such lines need not be decoded. Default: never. */
  readonly readsRuns?: boolean;
  /** Throws INVALID_PROMPT when the content is not JSON. */
  encodePrompt(prompt: PromptLine): string;
  /** Throws INVALID_OPTIONS when the request is not JSON, CONTROL_UNSUPPORTED when the dialect has no such request. */
  encodeRequest(requestId: string, request: { subtype: string } & Record<string, unknown>): string;
  /** Throws INVALID_ANSWER when the response is not JSON. */
  encodeSuccess(requestId: string, response: unknown): string;
  encodeError(requestId: string, error: string): string;
  encodeCancel(requestId: string): string;
  /**
   * `initialize` once more, under the same id and in every spelling, for a peer that has not answered it; undefined where it can
   * be read in one way only. Default: it can.
   */
  spellAgain?(): string | undefined;
}
