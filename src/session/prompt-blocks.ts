/** Kinds of pictures the Messages API takes. */
const IMAGE_TYPES: ReadonlySet<unknown> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

export interface BlockFault {
  /** The path below the block, such as `source.data`. */
  readonly field: string;
  readonly reason: string;
}

/**
 * What is wrong with a content block that the API would refuse: the whole conversation would then be refused with it, turn
 * after turn, because it stays in the history. Kinds nobody here knows pass (R15).
 */
export function faultOfBlock(block: Readonly<Record<string, unknown>>): BlockFault | undefined {
  switch (block['type']) {
    case 'text':
      return typeof block['text'] === 'string' ? undefined : { field: 'text', reason: 'expected a text' };
    case 'image':
      return faultOfSource(block['source'], faultOfImage);
    case 'document':
      return faultOfSource(block['source'], faultOfDocument);
    default:
      return undefined;
  }
}

type Source = Readonly<Record<string, unknown>>;

function faultOfSource(source: unknown, inspect: (source: Source) => BlockFault | undefined): BlockFault | undefined {
  const isSource = typeof source === 'object' && source !== null && typeof (source as Source)['type'] === 'string';
  return isSource ? inspect(source as Source) : { field: 'source', reason: 'expected an object with a string "type"' };
}

function faultOfImage(source: Source): BlockFault | undefined {
  if (source['type'] !== 'base64') return faultOfReference(source);
  if (!IMAGE_TYPES.has(source['media_type'])) {
    return { field: 'source.media_type', reason: `expected one of ${[...IMAGE_TYPES].join(', ')}` };
  }
  return faultOfBase64(source['data']);
}

function faultOfDocument(source: Source): BlockFault | undefined {
  if (source['type'] === 'text') {
    return typeof source['data'] === 'string' ? undefined : { field: 'source.data', reason: 'expected a text' };
  }
  if (source['type'] !== 'base64') return faultOfReference(source);
  if (source['media_type'] !== 'application/pdf') {
    return { field: 'source.media_type', reason: 'expected application/pdf' };
  }
  return faultOfBase64(source['data']);
}

function faultOfReference(source: Source): BlockFault | undefined {
  if (source['type'] !== 'url') return undefined;
  const url = source['url'];
  const isUrl = typeof url === 'string' && URL.canParse(url) && /^https?:/i.test(url);
  return isUrl ? undefined : { field: 'source.url', reason: 'expected an http or https address' };
}

function faultOfBase64(data: unknown): BlockFault | undefined {
  const isBase64 = typeof data === 'string' && data.length % 4 === 0 && BASE64.test(data);
  return isBase64 ? undefined : { field: 'source.data', reason: 'expected base64 without a "data:" prefix' };
}
