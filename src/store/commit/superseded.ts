import { PlannerError } from '../../errors.ts';

/**
 * Thrown for a change that was taken back, or a refusal that may be out of date, because another node's entries came
 * first: the replica has to catch up, and the rule to run again.
 */
export class Superseded extends Error {
  constructor() {
    super('The entries of another node came first: the rule has to be run again.');
  }
}

/** How often a rule is run whose entries lose to those of other nodes. */
export const attemptsMax = 50;

/** The error after the last attempt. */
export function contended(): PlannerError {
  return new PlannerError(
    'unavailable',
    'Other nodes of the service change the same project at this moment; nothing was changed. Send the request again.',
    { retry_after: 1 },
  );
}
