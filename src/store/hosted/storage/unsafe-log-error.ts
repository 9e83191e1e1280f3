import { PlannerError } from '../../../base/errors.ts';

const retryAfterSeconds = 5;

/**
 * The log does not meet the node's requirements and could lose acknowledged changes, so it accepts nothing at the
 * moment.
 */
export class UnsafeLogError extends PlannerError {
  constructor(message: string, details: Readonly<Record<string, unknown>>) {
    super('unavailable', message, { ...details, retry_after: retryAfterSeconds });
  }
}
