import { type ErrorBody, PlannerError } from '../../src/base/errors.ts';

/** The error that a call ends with, as callers see it; anything but a PlannerError goes on. */
export function errorOf(call: () => unknown): ErrorBody {
  try {
    call();
  } catch (thrown) {
    if (thrown instanceof PlannerError) return thrown.toJSON();
    throw thrown;
  }
  throw new Error('Nothing was thrown.');
}
