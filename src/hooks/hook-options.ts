import { z } from 'zod';
import { HOOK_EVENTS, type HookEvent, type HookInput } from './hook-input.ts';
import type { HookOutput } from './hook-output.ts';

/** Called by the CLI at an event. Throwing, or returning something else than an output, is a failure: see `onFailure`. */
export type HookCallback = (
  input: HookInput,
  toolUseID: string | undefined,
  /** `signal` fires when the CLI, a deadline or the end of the session takes the question back. */
  options: { signal: AbortSignal },
) => Promise<HookOutput> | HookOutput;

export interface HookCallbackMatcher {
  /** A tool name or a pattern of names, as the CLI matches them. Default: everything. */
  readonly matcher?: string;
  readonly hooks: readonly HookCallback[];
  /** Seconds; then the CLI takes the question back, and a guarded tool does not run (WIRE §7). Default: `timeouts.hookMs`. */
  readonly timeout?: number;
  /** What a failure does. `continue` (default, fails open): told as a diagnostic, and the work goes on. `block` (closed). */
  readonly onFailure?: 'continue' | 'block';
}

export type HooksOption = { readonly [E in HookEvent]?: readonly HookCallbackMatcher[] };

const Callback = z.custom<HookCallback>((value) => typeof value === 'function', 'expected a function');

const Matcher = z.strictObject({
  matcher: z.string().exactOptional(),
  hooks: z.array(Callback).readonly(),
  timeout: z
    .number()
    .positive('must be seconds above 0')
    .max(2 ** 31 / 1_000, 'must be at most 2147483 seconds')
    .exactOptional(),
  onFailure: z.enum(['continue', 'block']).exactOptional(),
});

const Matchers = z.array(Matcher).readonly().exactOptional();

export const HooksSchema = z.strictObject(
  Object.fromEntries(HOOK_EVENTS.map((event) => [event, Matchers])) as { [E in HookEvent]: typeof Matchers },
);
