import { z } from 'zod';

export const TextBlock = z.looseObject({ type: z.literal('text'), text: z.string() });

export const ThinkingBlock = z.looseObject({
  type: z.literal('thinking'),
  thinking: z.string(),
  signature: z.string().nullish(),
});

export const RedactedThinkingBlock = z.looseObject({
  type: z.literal('redacted_thinking'),
  data: z.string().nullish(),
});

export const ToolUseBlock = z.looseObject({
  type: z.literal('tool_use'),
  id: z.string(),
  name: z.string(),
  input: z.record(z.string(), z.unknown()),
});

export const ToolResultBlock = z.looseObject({
  type: z.literal('tool_result'),
  tool_use_id: z.string(),
  content: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]).nullish(),
  is_error: z.boolean().nullish(),
});

export const ServerToolUseBlock = z.looseObject({
  type: z.literal('server_tool_use'),
  id: z.string(),
  name: z.string(),
  input: z.unknown().optional(),
});

export const WebSearchToolResultBlock = z.looseObject({
  type: z.literal('web_search_tool_result'),
  tool_use_id: z.string(),
  content: z.unknown().optional(),
});

const Source = z.looseObject({ type: z.string(), media_type: z.string().nullish() });

export const ImageBlock = z.looseObject({ type: z.literal('image'), source: Source });

export const DocumentBlock = z.looseObject({ type: z.literal('document'), source: Source });

export const KnownBlock = z.discriminatedUnion('type', [
  TextBlock,
  ThinkingBlock,
  RedactedThinkingBlock,
  ToolUseBlock,
  ToolResultBlock,
  ServerToolUseBlock,
  WebSearchToolResultBlock,
  ImageBlock,
  DocumentBlock,
]);
export type KnownBlock = z.infer<typeof KnownBlock>;

const KNOWN_TYPES: ReadonlySet<string> = new Set(KnownBlock.options.map((option) => option.shape.type.value));

/** A kind of block that was invented later: it passes as it is (R15). A known kind in a wrong shape does not. */
export const OtherBlock = z.looseObject({ type: z.string().refine((type) => !KNOWN_TYPES.has(type)) });

export const ContentBlock = z.union([KnownBlock, OtherBlock]);
export type ContentBlock = z.infer<typeof ContentBlock>;

/** True for the kinds that have a schema; behind it `block.type` tells them apart. */
export function isKnownBlock(block: ContentBlock): block is KnownBlock {
  return KNOWN_TYPES.has(block.type);
}
