import { PlannerError } from '../../base/errors.ts';
import { limits } from '../../base/limits.ts';
import type { Violation } from '../../store/index.ts';
import { checkPlain } from './plain-input.ts';

/** Checks a value against a definition of `schemas/`. Returns the violations; empty if the value is valid. */
export type Validator = (value: unknown) => readonly Violation[];

/** Throws `invalid_argument` with the first violation in `field` and up to 20 of them in `details`. */
export function requireValid(validator: Validator, input: unknown): void {
  checkPlain(input);
  const violations = validator(input);
  const [first] = violations;
  if (first === undefined) return;
  throw new PlannerError('invalid_argument', first.message, {
    field: first.field,
    details: violations.slice(0, limits.violationsMax),
  });
}
