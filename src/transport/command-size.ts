import { TroupeError } from '../errors.ts';
import type { LaunchPlan } from './transport.ts';

export interface SizeLimits {
  /** Longest single argument or `NAME=value` string, its terminating zero byte included. */
  readonly stringBytes: number;
  /** All arguments and the whole environment together, with the pointers to them. */
  readonly totalBytes: number;
}

/**
 * Linux refuses one string of more than 32 pages (MAX_ARG_STRLEN) and, with the usual stack limit, a total of 2 MiB;
 * an eighth of it is left to the interpreter line of a script and to the kernel's own entries.
 */
const LINUX_LIMITS: SizeLimits = { stringBytes: 128 * 1024, totalBytes: 2 * 1024 * 1024 * 0.875 };
/** Elsewhere only the total counts: 1 MiB on macOS, 32 767 characters for a Windows command line. */
const DARWIN_LIMITS: SizeLimits = { stringBytes: Number.POSITIVE_INFINITY, totalBytes: 1024 * 1024 * 0.875 };
const WINDOWS_LIMITS: SizeLimits = { stringBytes: 32_767, totalBytes: Number.POSITIVE_INFINITY };

const POINTER_BYTES = 8;
/** Of one UTF-16 unit. */
const UTF8_BYTES_AT_MOST = 3;

interface Part {
  readonly name: string;
  readonly bytes: number;
}

/**
 * Returns ARGUMENTS_TOO_LARGE when the command line or the environment would be refused by the system (R94), else
 * undefined. `details.name` is the flag or variable to blame, `bytes` its size: never a value (P11).
 */
export function findOversize(plan: LaunchPlan, limits: SizeLimits = platformLimits()): TroupeError | undefined {
  const ceilingBytes = mostBytes(plan);
  if (ceilingBytes <= Math.min(limits.stringBytes, limits.totalBytes)) return undefined;
  const parts = [...argumentParts(plan), ...environmentParts(plan)];
  const biggest = parts.reduce((a, b) => (b.bytes > a.bytes ? b : a));
  const totalBytes = parts.reduce((sum, part) => sum + part.bytes + POINTER_BYTES, 0);
  if (biggest.bytes <= limits.stringBytes && totalBytes <= limits.totalBytes) return undefined;

  const limitBytes = biggest.bytes > limits.stringBytes ? limits.stringBytes : limits.totalBytes;
  return new TroupeError('ARGUMENTS_TOO_LARGE', {
    reason: `The biggest part is ${biggest.name} with ${biggest.bytes} bytes.`,
    details: { command: plan.command, cwd: plan.cwd, ...biggest, totalBytes, limitBytes },
  });
}

/** More than all of it takes together, known without encoding anything: most command lines are far below every limit. */
function mostBytes({ command, args, env }: LaunchPlan): number {
  const ofText = (text: string) => text.length * UTF8_BYTES_AT_MOST + 1 + POINTER_BYTES;
  let bytes = ofText(command);
  for (const text of args) bytes += ofText(text);
  for (const name in env) bytes += ofText(name) + ofText(env[name] ?? '');
  return bytes;
}

function platformLimits(): SizeLimits {
  if (process.platform === 'win32') return WINDOWS_LIMITS;
  return process.platform === 'linux' ? LINUX_LIMITS : DARWIN_LIMITS;
}

function argumentParts(plan: LaunchPlan): Part[] {
  const named = plan.args.map((value, index) => ({ name: argumentName(plan.args, index), bytes: sizeOf(value) }));
  return [{ name: 'the command', bytes: sizeOf(plan.command) }, ...named];
}

function environmentParts(plan: LaunchPlan): Part[] {
  return Object.entries(plan.env).map(([name, value]) => ({ name, bytes: sizeOf(`${name}=${value}`) }));
}

function sizeOf(text: string): number {
  return Buffer.byteLength(text) + 1;
}

/** Only what looks like a plain flag is repeated: anything else might be part of a value. */
const FLAG = /^(--[a-z][a-z0-9-]{0,63}|-[a-z])(?==|$)/i;

function argumentName(args: readonly string[], index: number): string {
  const own = FLAG.exec(args[index] ?? '')?.[1];
  const before = args[index - 1] ?? '';
  const flagBefore = before.includes('=') ? undefined : FLAG.exec(before)?.[1];
  return own ?? flagBefore ?? `argument ${index + 1}`;
}
