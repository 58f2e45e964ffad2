// What runs in the threads of a store: each holds one connection and answers one request after the other.
import { parentPort } from 'node:worker_threads';
import { loadDriver } from './driver.ts';
import { failureOf, SqliteService } from './service.ts';
import type { Answer, Question } from './thread.ts';

const service = loadDriver().then((open) => new SqliteService(open));

parentPort?.on('message', async ({ id, name, request }: Question) => {
  const answer = await answerTo(id, name, request);
  parentPort?.postMessage(answer);
});

async function answerTo(id: number, name: Question['name'], request: unknown): Promise<Answer> {
  try {
    // Types of questions and answers are paired by `SqliteThread`.
    return { id, value: (await service)[name](request as never) };
  } catch (error) {
    return { id, failure: failureOf(error) };
  }
}
