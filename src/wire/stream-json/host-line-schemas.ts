import { z } from 'zod';
import { ControlCancelLine, ControlRequestLine, ControlResponseLine } from './control-schemas.ts';

/** A prompt on the CLI's stdin (WIRE §11). */
export const PromptLineSchema = z.looseObject({
  type: z.literal('user'),
  message: z.looseObject({ role: z.literal('user'), content: z.union([z.string(), z.array(z.unknown())]) }),
  parent_tool_use_id: z.string().nullish(),
  session_id: z.string().nullish(),
  uuid: z.string().nullish(),
  priority: z.enum(['now', 'next', 'later']).nullish(),
});

/** Every kind of line a host writes: what a peer in the place of the CLI has to read. */
export const HostLine = z.discriminatedUnion('type', [
  PromptLineSchema,
  ControlRequestLine,
  ControlResponseLine,
  ControlCancelLine,
  z.looseObject({ type: z.literal('keep_alive') }),
]);
export type HostLine = z.infer<typeof HostLine>;
