import { z } from 'zod';
import { systemMessage } from './system-schemas.ts';

/*
 * Messages that only the write-up of one process per prompt has (DIALECTS §4); no release of the CLI sends them. It shows one
 * of the three, and no field of them is required. They tell, and wait for no answer.
 */

/** A tool wants to run, and somebody is asked elsewhere. */
export const SystemPermissionRequest = systemMessage('permission_request', {
  tool: z.string().nullish(),
  params: z.record(z.string(), z.unknown()).nullish(),
  timestamp: z.string().nullish(),
});

/** A hook ran. The write-up names no fields. */
export const SystemHookExecution = systemMessage('hook_execution', { timestamp: z.string().nullish() });

/** Something went wrong outside a turn: as in the result, or as a text. */
export const SystemError = systemMessage('error', {
  error: z
    .union([
      z.string(),
      z.looseObject({
        type: z.string().nullish(),
        message: z.string().nullish(),
        details: z.record(z.string(), z.unknown()).nullish(),
      }),
    ])
    .nullish(),
  message: z.string().nullish(),
  timestamp: z.string().nullish(),
});
