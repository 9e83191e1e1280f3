import { PlannerError } from '../base/errors.ts';
import { randomToken } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import { actionOf, questionParams } from './confirmation.ts';
import type { Action } from './confirmation.ts';
import type { Id, Message } from './json-rpc.ts';

/** The call that a question belongs to. */
export interface Asking {
  readonly session: string;
  /** The id of the call, by which its client cancels it. */
  readonly call: Id;
  /** The client is gone, or the service is closed. */
  readonly signal: AbortSignal;
  /** Sends the request to the client. */
  readonly send: (request: Message) => void;
}

interface Waiting extends Asking {
  readonly settle: (action: Action) => void;
}

const idBytes = 12;
const minuteMs = 60_000;

/** The questions that wait in sessions for persons. Each is a request to the client, which sends its response in a POST of its own. */
export class Questions {
  readonly #waiting = new Map<Id, Waiting>();

  /**
   * Resolves with the person's action, or with `cancel` if the client is gone, or the person does not respond for too
   * long. Throws `rate_limited`.
   */
  ask(question: string, asking: Asking): Promise<Action> {
    const ofSession = [...this.#waiting.values()].filter(({ session }) => session === asking.session);
    if (ofSession.length >= limits.questionsPerSessionMax)
      throw new PlannerError('rate_limited', 'Too many questions of this session wait for a person.');
    const id = `planner-${randomToken(idBytes)}`;
    return new Promise((resolve) => {
      const cancel = (): void => settle('cancel');
      const timer = setTimeout(cancel, limits.questionMinutesMax * minuteMs).unref();
      const settle = (action: Action): void => {
        clearTimeout(timer);
        asking.signal.removeEventListener('abort', cancel);
        this.#waiting.delete(id);
        resolve(action);
      };
      this.#waiting.set(id, { ...asking, settle });
      asking.signal.addEventListener('abort', cancel);
      if (asking.signal.aborted) return cancel();
      asking.send({ jsonrpc: '2.0', id, method: 'elicitation/create', params: questionParams(question) });
    });
  }

  /** Takes a response of a session's client. One to no question of the session is ignored. An error cancels. */
  onResponse(session: string, { id, result }: Message): void {
    const waiting = this.#waiting.get(id!);
    if (waiting?.session === session) waiting.settle(actionOf(result) ?? 'cancel');
  }

  /** The client has cancelled a call. */
  cancel(session: string, call: unknown): void {
    for (const waiting of this.#waiting.values())
      if (waiting.session === session && waiting.call === call) waiting.settle('cancel');
  }
}
