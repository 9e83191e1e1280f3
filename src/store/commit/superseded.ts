import { PlannerError } from '../../base/errors.ts';

/**
 * Thrown for a change that was taken back, or a refusal that may be out of date, because another node's entries came
 * first: the replica has to catch up, and the rule to run again.
 */
export class Superseded extends Error {
  constructor() {
    super('The entries of another node came first: the rule has to be run again.');
  }
}

/**
 * Thrown for a change that was taken back, because its call has an answer already: from another node, or from this
 * node.
 */
export class AnsweredBefore extends Error {
  constructor() {
    super('The call was answered before: its answer is to be looked up.');
  }
}

/** How long a rule is run again whose entries lose to other nodes' entries. */
export const contendedMsMax = 5000;

/** The error after the last attempt. */
export function contended(): PlannerError {
  return new PlannerError(
    'unavailable',
    'Other nodes of the service change the same project at this moment; nothing was changed. Send the request again.',
    { retry_after: 1 },
  );
}
