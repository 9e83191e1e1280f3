import type { Clock } from '../base/clock.ts';
import { PlannerError } from '../base/errors.ts';
import { isObject } from '../base/is-object.ts';
import { limits } from '../base/limits.ts';
import type { Question } from '../operations/confirmations.ts';
import { canonicalJson } from '../base/canonical-json.ts';
import { sha256Of } from '../operations/pipeline/idempotency.ts';
import { Seal } from '../operations/pipeline/seal.ts';
import type { InputRequired, ToolOutcome } from './exchange.ts';

type Params = Readonly<Record<string, unknown>>;

/** The name of the only request for input. */
const name = 'confirm';

/** Returns whether a client with these capabilities can ask a person by a form. Without a mode, it can. */
export function canAsk({ elicitation }: Params): boolean {
  if (!isObject(elicitation)) return false;
  return 'form' in elicitation || !('url' in elicitation);
}

/** A call that a person is asked about: its credential, its tool, its arguments. */
type AskedCall = readonly unknown[];

/** The state that the client returns with the answer. */
interface State {
  readonly call: string;
  readonly tag: string;
  /** Milliseconds since the epoch. */
  readonly askedAt: number;
}

const minuteMs = 60_000;

/**
 * Questions of a revision without sessions. The question is sealed into the state that the client returns with the
 * answer, so that an answer counts only for a call that was asked about, with the same arguments and records. Any other
 * answer is ignored.
 */
export class SealedQuestions {
  readonly #seal: Seal;
  readonly #clock: Clock;

  constructor({ stateSecret, clock }: { readonly stateSecret: string; readonly clock: Clock }) {
    this.#seal = new Seal(stateSecret);
    this.#clock = clock;
  }

  request(call: AskedCall, { text, tag }: Question): InputRequired {
    const state: State = { call: digestOf(call), tag, askedAt: this.#clock.now() };
    return {
      inputRequests: { [name]: { method: 'elicitation/create', params: { mode: 'form', ...questionParams(text) } } },
      requestState: this.#seal.close(JSON.stringify(state)),
    };
  }

  /** The person's action on the question about a call, and its tag; undefined without an answer. */
  answerTo(
    call: AskedCall,
    { inputResponses: responses, requestState }: Params,
  ): { readonly action: Action; readonly tag: string } | undefined {
    const action = isObject(responses) ? actionOf(responses[name]) : undefined;
    const state = action === undefined ? undefined : this.#opened(requestState);
    if (action === undefined || state?.call !== digestOf(call)) return undefined;
    const ageMs = this.#clock.now() - state.askedAt;
    return ageMs > limits.questionMinutesMax * minuteMs ? undefined : { action, tag: state.tag };
  }

  #opened(sealed: unknown): State | undefined {
    if (typeof sealed !== 'string') return undefined;
    try {
      return JSON.parse(this.#seal.open(sealed)) as State;
    } catch {
      return undefined;
    }
  }
}

function digestOf(call: AskedCall): string {
  return sha256Of(canonicalJson(call));
}

/** A person's action on a question. */
export type Action = 'accept' | 'decline' | 'cancel';

/** The action in a response to `elicitation/create`, or undefined. */
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
