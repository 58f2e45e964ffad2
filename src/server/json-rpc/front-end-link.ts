import type { RunMessages } from './run-messages.ts';

/** Why a front end was cut off; a WebSocket closes with it. */
export type CutReason =
  /** It sent a frame over `maxFrameBytes`. */
  | 'frame-too-large'
  /** It does not read what it is sent. */
  | 'too-slow'
  /** It never said `initialize`. */
  | 'not-initialized'
  /** It brought no token that counts, where one is asked for. */
  | 'not-authenticated'
  /** It says nothing more, and what it had asked was answered. */
  | 'input-ended'
  /** The engine ends. */
  | 'server-closing';

/** How frames reach one front end: a WebSocket, a pair of pipes, a socket. One frame is one JSON text without a line end. */
export interface FrontEndLink {
  /** What was sent and has not left yet. */
  readonly bufferedBytes: number;
  send(frame: string): void;
  /** The same for many frames that were made for several links; they may wait some milliseconds for more. False where they have to be sent one by one. */
  sendRun?(messages: RunMessages): boolean;
  /** Resolves when something of what was sent has left, and when the link is gone. */
  drained(): Promise<void>;
  close(reason: CutReason): void;
}

/** Finds out who a front end is by the token of its `initialize`; undefined lets nobody in. */
export type Identify = (token: string | undefined) => FrontEnd | undefined;

/** Who is at the other end, as far as the server knows: by its token. */
export interface FrontEnd {
  /** Stands in the log beside what it decides. */
  readonly name: string;
  readonly scopes: ReadonlySet<Scope>;
}

/** `read`: see everything. `answer`: decide permission requests. `control`: prompt, interrupt, start. */
export type Scope = 'read' | 'answer' | 'control';
