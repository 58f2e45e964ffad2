import type { Codec } from './codec.ts';
import type { DialectOption } from './dialect.ts';
import { FirstLines } from './first-lines.ts';
import { JsonRpcCodec } from './json-rpc/codec.ts';
import { streamJson } from './stream-json/codec.ts';

/** One for each process: a codec may remember what was said. */
const CODECS: Readonly<Record<DialectOption, () => Codec>> = {
  auto: () => new FirstLines(),
  'stream-json': () => new FirstLines(),
  'stream-json-sdk-control': () => streamJson,
  print: () => streamJson,
  'json-rpc': () => new JsonRpcCodec(),
};

/** A codec for one process of a session. */
export function createCodec(dialect: DialectOption = 'auto'): Codec {
  return CODECS[dialect]();
}
