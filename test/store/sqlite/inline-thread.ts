import type { OpenDatabase } from '../../../src/store/sqlite/driver.ts';
import { errorOf, failureOf, SqliteService } from '../../../src/store/sqlite/service.ts';
import type { SqliteThread } from '../../../src/store/sqlite/thread.ts';

/** Answers in the next turns of the event loop, with copies, as a thread would. */
export function inlineThread(open: OpenDatabase): SqliteThread {
  const service = new SqliteService(open);
  return {
    async ask(name, request) {
      const copied = structuredClone(request);
      await new Promise((resolve) => setImmediate(resolve));
      try {
        // Types of questions and answers are paired by `SqliteThread`.
        return structuredClone(service[name](copied as never)) as never;
      } catch (error) {
        throw errorOf(structuredClone(failureOf(error)));
      }
    },
    async end() {
      service.close();
    },
  };
}
