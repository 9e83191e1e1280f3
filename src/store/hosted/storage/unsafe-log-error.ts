import { PlannerError } from '../../../base/errors.ts';

const retryAfterSeconds = 5;

/** The log could lose what it would acknowledge, as a node requires of it at its start: it accepts nothing at the moment. */
export class UnsafeLogError extends PlannerError {
  constructor(message: string, details: Readonly<Record<string, unknown>>) {
    super('unavailable', message, { ...details, retry_after: retryAfterSeconds });
  }
}
