import { invalid } from '../../base/errors.ts';
import { limits } from '../../base/limits.ts';

/** Deeper than any schema requires, and far below the depth at which recursion over a free-form object overflows the stack. */
const depthMax = 64;

/**
 * Rejects values that JSON can contain but files and responses cannot preserve: text with half a surrogate pair (it would be stored as
 * U+FFFD), nesting beyond 64 levels, arrays beyond the limit. Runs before validation, so that schemas get bounded values only.
 */
export function checkPlain(value: unknown, path = '', depth = 0): void {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) throw invalid(path, `${path} contains an unpaired surrogate: send valid Unicode.`);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (depth === depthMax) throw invalid(path, `${path} is nested more than ${depthMax} levels deep.`);
  if (Array.isArray(value)) {
    if (value.length > limits.arrayItemsMax) {
      throw invalid(path, `${path} has ${value.length} items; at most ${limits.arrayItemsMax} are taken.`);
    }
    for (const [at, item] of value.entries()) {
      if (needsLook(item)) checkPlain(item, `${path}[${at}]`, depth + 1);
    }
    return;
  }
  for (const key of Object.keys(value)) {
    if (!key.isWellFormed())
      throw invalid(path, `A name in ${path || 'the input'} contains an unpaired surrogate: send valid Unicode.`);
    const item = (value as Record<string, unknown>)[key];
    if (needsLook(item)) checkPlain(item, path === '' ? key : `${path}.${key}`, depth + 1);
  }
}

/** Paths are built only for values that may be rejected: numbers, booleans and null never are. */
function needsLook(item: unknown): boolean {
  return typeof item === 'string' ? !item.isWellFormed() : typeof item === 'object' && item !== null;
}
