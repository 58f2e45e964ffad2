import { z } from 'zod';
import { DIALECTS } from '../wire/dialect.ts';
import { HIGHEST_LIMITS } from './defaults.ts';
import type { LimitOptions, RestartOptions, TimeoutOptions } from './session-options.ts';
import { toolRuleFault } from './tool-rule.ts';

/** The dialects of `docs/dialects.md`. */
export const DialectShape = z.enum(['auto', ...DIALECTS]).exactOptional();

/** A text that may not be empty. */
export const FilledText = z.string().min(1, 'must not be empty');

/** A value from outside that stands on the command line: it may not look like a flag, nor span lines (R95). */
export const FlagValue = FilledText.refine((text) => !text.startsWith('-'), 'must not start with "-"').refine(
  (text) => !/\p{Cc}/u.test(text),
  'must not contain control characters or line breaks',
);

/** A tool name or permission rule. */
export const ToolRule = z.string().check((context) => {
  const fault = toolRuleFault(context.value);
  if (fault !== undefined) context.issues.push({ code: 'custom', message: fault, input: context.value });
});

/** A deadline in milliseconds. */
export const Duration = z.custom<number>(
  (value) => typeof value === 'number' && value > 0,
  'must be a positive number of milliseconds, or Infinity for no deadline',
);

/** A bound: a whole number above 0 that the machine can keep. */
function limitUpTo(highest: number) {
  return z.custom<number>(
    (value) => typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= highest,
    `must be a whole number above 0 and at most ${highest}`,
  );
}

/** Anything that can be called. */
export function callable<T>() {
  return z.custom<T>((value) => typeof value === 'function', 'must be a function');
}

/** An object with these methods, whatever else it is. */
export function objectWith<T extends object>(description: string, ...methods: readonly string[]) {
  return z.custom<T>(
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      methods.every((name) => typeof (value as Record<string, unknown>)[name] === 'function'),
    `must be ${description}`,
  );
}

/** An optional entry for every name. */
function allOptional<Name extends string, T extends z.ZodType>(names: readonly Name[], schemaOf: (name: Name) => T) {
  type Shape = Record<Name, z.ZodExactOptional<T>>;
  return Object.fromEntries(names.map((name) => [name, schemaOf(name).exactOptional()])) as Shape;
}

/** A bound for every name, each with the highest value it may have. */
export function limitShape<Name extends keyof typeof HIGHEST_LIMITS>(names: readonly Name[]) {
  return allOptional(names, (name) => limitUpTo(HIGHEST_LIMITS[name]));
}

const TIMEOUT_NAMES = [
  'spawnMs',
  'initializeMs',
  'mcpServerMs',
  'controlMs',
  'turnMs',
  'stallMs',
  'stallInterruptMs',
  'toolStallMs',
  'toolStallInterruptMs',
  'permissionMs',
  'hookMs',
  'interruptMs',
  'idleMs',
  'closeGraceMs',
  'terminateGraceMs',
  'killGraceMs',
  'admissionMs',
] as const satisfies readonly (keyof TimeoutOptions)[];

const LIMIT_NAMES = [
  'maxPromptQueue',
  'maxLineBytes',
  'maxSubscriberBufferBytes',
  'maxSubscriberBufferItems',
  'stderrTailBytes',
  'maxControlPending',
  'maxLogBytes',
  'maxLogItems',
  'maxRecoveries',
] as const satisfies readonly (keyof LimitOptions)[];

export const TimeoutShape = allOptional(TIMEOUT_NAMES, () => Duration);

export const LimitShape = limitShape(LIMIT_NAMES);

const Wait = z.number().nonnegative();

export const BackoffShape = {
  minMs: Wait.exactOptional(),
  maxMs: Wait.exactOptional(),
  factor: z.number().min(1, 'must be at least 1').exactOptional(),
  jitter: z.number().min(0, 'must be between 0 and 1').max(1, 'must be between 0 and 1').exactOptional(),
};

/** What happens to a prompt that was cut off. */
export const PromptLossShape = z.enum(['once', 'retry', 'fail', 'ask']);

/** What happens to a session whose host was lost. */
export const HostLossShape = z.enum(['resume', 'hold', 'fail']);

export const RestartShape = {
  type: z.enum(['permanent', 'transient', 'temporary']).exactOptional(),
  intensity: z.number().int('must be a whole number').nonnegative().exactOptional(),
  periodMs: Duration.exactOptional(),
  backoff: z
    .strictObject(BackoffShape)
    .refine(({ minMs = 0, maxMs = Number.POSITIVE_INFINITY }) => minMs <= maxMs, 'minMs must not be above maxMs')
    .exactOptional(),
};

/** Fails to compile when a schema and the interface that documents it drift apart. */
export type Agrees<Parsed, Documented> = [Parsed, Documented, keyof Parsed, keyof Documented] extends [
  Documented,
  Parsed,
  keyof Documented,
  keyof Parsed,
]
  ? true
  : never;

true satisfies Agrees<z.infer<z.ZodObject<typeof TimeoutShape>>, TimeoutOptions>;
true satisfies Agrees<z.infer<z.ZodObject<typeof LimitShape>>, LimitOptions>;
true satisfies Agrees<z.infer<z.ZodObject<typeof RestartShape>>, RestartOptions>;
true satisfies Agrees<z.infer<z.ZodObject<typeof BackoffShape>>, NonNullable<RestartOptions['backoff']>>;
