import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { TroupeError } from '../../errors.ts';
import { type AnswerOf, errorOf, type Failure, type RequestName, type RequestOf } from './service.ts';

/** Whoever answers requests: a thread, or in tests the same one. Requests are answered one at a time, in order. */
export interface SqliteThread {
  ask<Name extends RequestName>(
    name: Name,
    request: RequestOf<Name>,
    transfer?: ArrayBuffer[],
  ): Promise<AnswerOf<Name>>;
  /** After `close` was answered. */
  end(): Promise<void>;
}

/** A question as it crosses, and its answer. */
export interface Question {
  readonly id: number;
  readonly name: RequestName;
  readonly request: unknown;
}
export type Answer = { readonly id: number } & (
  | { readonly value: unknown; readonly failure?: undefined }
  | { readonly failure: Failure }
);

interface Asked {
  readonly resolve: (value: never) => void;
  readonly reject: (error: TroupeError) => void;
}

/** Node 22 warns of its own SQLite, which nobody who runs an agent can do anything about. */
const WITHOUT_WARNING = ['--disable-warning=ExperimentalWarning'];

/** A thread of its own, which keeps the process alive only while it owes an answer. `onLost` hears why it ended by itself. */
export function startThread(onLost: (error: TroupeError) => void): SqliteThread {
  const worker = new Worker(programPath(), { execArgv: WITHOUT_WARNING });
  const asked = new Map<number, Asked>();
  let questions = 0;
  let lost: TroupeError | undefined;

  const lose = (cause: unknown): void => {
    if (lost !== undefined) return;
    lost = new TroupeError('STORE_UNREACHABLE', { reason: 'The thread of the store ended.', cause });
    for (const { reject } of asked.values()) reject(lost);
    asked.clear();
    onLost(lost);
  };
  worker.unref();
  worker.on('message', (answer: Answer) => {
    const waiting = asked.get(answer.id);
    asked.delete(answer.id);
    if (asked.size === 0) worker.unref();
    // Types of questions and answers are paired by `ask`.
    if (answer.failure === undefined) waiting?.resolve(answer.value as never);
    else waiting?.reject(errorOf(answer.failure));
  });
  worker.on('error', lose);
  worker.on('exit', () => lose(undefined));

  return {
    ask: (name, request, transfer = []) =>
      new Promise((resolve, reject) => {
        if (lost !== undefined) return reject(lost);
        questions += 1;
        // First, because it throws when the request cannot cross.
        worker.postMessage({ id: questions, name, request } satisfies Question, transfer);
        asked.set(questions, { resolve, reject });
        worker.ref();
      }),
    async end() {
      lost ??= new TroupeError('STORE_CLOSED');
      for (const { reject } of asked.values()) reject(lost);
      asked.clear();
      await worker.terminate();
    },
  };
}

/** The compiled program: the neighbour of this module, or its counterpart in `dist` when this runs from the sources. */
function programPath(): string {
  const neighbour = fileURLToPath(new URL('./thread-program.js', import.meta.url));
  return existsSync(neighbour)
    ? neighbour
    : fileURLToPath(new URL('../../../dist/src/store/sqlite/thread-program.js', import.meta.url));
}
