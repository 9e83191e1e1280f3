import { PlannerError } from '../errors.ts';
import type { Envelope } from './envelope.ts';
import type { InputRequired, ToolOutcome } from './exchange.ts';

type Params = Readonly<Record<string, unknown>>;

/** The name of the only request for input. */
const name = 'confirm';

/** Whether a client can ask a person by a form. Without a mode, it can. */
export function canAsk({ capabilities: { elicitation } }: Envelope): boolean {
  if (typeof elicitation !== 'object' || elicitation === null) return false;
  return 'form' in elicitation || !('url' in elicitation);
}

/**
 * Asks a person to confirm a call, or evaluates the response: the request for input, the result of a call that was declined, or undefined if
 * it was confirmed.
 */
export function confirmation(
  question: string,
  { inputResponses: responses }: Params,
): InputRequired | ToolOutcome | undefined {
  const response = isObject(responses) ? responses[name] : undefined;
  const action = isObject(response) ? response['action'] : undefined;
  if (action === 'accept') return undefined;
  if (action === 'decline' || action === 'cancel') return { value: declined(action).toJSON(), isError: true };
  const requestedSchema = { type: 'object', properties: {} };
  const params = { mode: 'form', message: question, requestedSchema };
  return { inputRequests: { [name]: { method: 'elicitation/create', params } } };
}

function declined(action: 'decline' | 'cancel'): PlannerError {
  const message =
    action === 'decline'
      ? 'The person declined: do not do it in another way.'
      : 'The person has not decided: ask again later, or continue with something else.';
  return new PlannerError('conflict', message, { reason: action === 'decline' ? 'declined' : 'not_decided' });
}

function isObject(value: unknown): value is Params {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
