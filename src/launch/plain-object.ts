import { TroupeError } from '../errors.ts';

/** True for an object that is nothing but its properties. */
export function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Throws INVALID_OPTIONS for whatever is no plain object. */
export function assertPlain(options: unknown): void {
  if (isPlain(options)) return;
  throw new TroupeError('INVALID_OPTIONS', {
    reason: '"options": must be a plain object.',
    details: { field: 'options', reason: 'must be a plain object' },
  });
}
