import type { Codec } from './codec.ts';
import type { DialectOption } from './dialect.ts';
import { FirstLines } from './first-lines.ts';
import { JsonRpcCodec } from './json-rpc/codec.ts';
import { PrintCodec } from './print/codec.ts';
import { SdkControlCodec } from './sdk-control/codec.ts';

/** One for each process: a codec may remember what was said. */
const CODECS: Readonly<Record<DialectOption, () => Codec>> = {
  auto: () => new FirstLines({ mayChange: true }),
  'stream-json': () => new FirstLines({ mayChange: false }),
  'stream-json-sdk-control': () => new SdkControlCodec(),
  print: () => new PrintCodec(),
  'json-rpc': () => new JsonRpcCodec(),
};

/** A codec for one process of a session. */
export function createCodec(dialect: DialectOption = 'auto'): Codec {
  return CODECS[dialect]();
}
