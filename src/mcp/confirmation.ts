import { PlannerError } from '../errors.ts';
import type { InputRequired, ToolOutcome } from './exchange.ts';

type Params = Readonly<Record<string, unknown>>;

/** The name of the only request for input. */
const name = 'confirm';

/** Whether a client with these capabilities can ask a person by a form. Without a mode, it can. */
export function canAsk({ elicitation }: Params): boolean {
  if (!isObject(elicitation)) return false;
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
  const action = isObject(responses) ? actionOf(responses[name]) : undefined;
  if (action !== undefined) return outcomeOf(action);
  return {
    inputRequests: { [name]: { method: 'elicitation/create', params: { mode: 'form', ...questionParams(question) } } },
  };
}

/** What a person did with a question. */
export type Action = 'accept' | 'decline' | 'cancel';

/** The action in a response to `elicitation/create`; undefined if there is none. */
export function actionOf(response: unknown): Action | undefined {
  const action = isObject(response) ? response['action'] : undefined;
  return action === 'accept' || action === 'decline' || action === 'cancel' ? action : undefined;
}

/** The result of a call that is not executed because of the action; undefined if it was confirmed. */
export function outcomeOf(action: Action): ToolOutcome | undefined {
  return action === 'accept' ? undefined : { value: declined(action).toJSON(), isError: true };
}

/** The parameters of `elicitation/create` in every revision: a form without fields. */
export function questionParams(question: string): Params {
  return { message: question, requestedSchema: { type: 'object', properties: {} } };
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
