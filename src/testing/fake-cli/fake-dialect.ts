import { JsonRpcDialect } from './json-rpc-dialect.ts';
import { PrintDialect } from './print-dialect.ts';
import type { JsonObject } from './scenario.ts';
import { SdkControlDialect } from './sdk-control-dialect.ts';

/** The write-up of the protocol that a fake follows. Inside it speaks `stream-json`, as its scenario does. */
export type FakeDialectName = 'stream-json' | 'stream-json-sdk-control' | 'print' | 'json-rpc';

export interface FakeDialect {
  /** A frame as the dialect writes it: a line, several, or nothing where it has no words for it. */
  written(frame: JsonObject): JsonObject | readonly JsonObject[] | undefined;
  /** A line of the host as `stream-json` says it. Strict: what the write-up does not have is not understood. */
  read(line: JsonObject): JsonObject | undefined;
  /** Lines of the host carry no `type`. */
  readonly isUntyped?: boolean;
}

const AS_IT_IS: FakeDialect = { written: (frame) => frame, read: (line) => line };

export function fakeDialect(name: FakeDialectName = 'stream-json'): FakeDialect {
  if (name === 'json-rpc') return new JsonRpcDialect();
  if (name === 'print') return new PrintDialect();
  return name === 'stream-json-sdk-control' ? new SdkControlDialect() : AS_IT_IS;
}
