// What runs in the threads of a store: each holds one connection and answers one request after the other.
import { parentPort } from 'node:worker_threads';
import { findDriver } from './driver.ts';
import { failureOf, handedOver, SqliteService } from './service.ts';
import type { Answer, Question } from './thread.ts';

let service: SqliteService | undefined;

parentPort?.on('message', ({ id, name, request }: Question) => {
  const answer = answerTo(id, name, request);
  parentPort?.postMessage(answer, answer.failure === undefined ? handedOver(answer.value) : []);
});

function answerTo(id: number, name: Question['name'], request: unknown): Answer {
  try {
    service ??= new SqliteService(findDriver().open);
    // Types of questions and answers are paired by `SqliteThread`.
    return { id, value: service[name](request as never) };
  } catch (error) {
    return { id, failure: failureOf(error) };
  }
}
