import { keyCollection } from '../../domain/people/keys.ts';
import { signInCollection } from '../../domain/people/sign-ins.ts';
import { PlannerError } from '../../base/errors.ts';
import type { Change } from '../../store/index.ts';
import type { Transactions } from '../declaration/transactions.ts';

/** The records that are credentials. The sign-ins of a key or an identity are removed with it. */
const credentialCollections = [keyCollection.name, signInCollection.name];

/** Credentials that ended a moment ago: a call that was authenticated before may not have asked for its signal yet. */
const endedKept = 1000;

/**
 * Ends what callers keep open – streams, calls that wait, questions to a person – when their credential is revoked, at
 * any node, or the service is closed. A revocation is noticed before it is acknowledged, and before any later event is
 * sent.
 */
export class Endings {
  readonly #open = new Map<string, AbortController>();
  readonly #ended = new Set<string>();
  #isClosed = false;

  // Credentials do not depend on the collections of projects.
  // oxlint-disable-next-line typescript/no-explicit-any
  constructor(store: Pick<Transactions<any>, 'onServiceChange'>) {
    for (const name of credentialCollections) store.onServiceChange(name, (change) => this.#onChange(change));
  }

  /** Aborts when the credential with this id ends, with an error as its reason, or when the service is closed. */
  readonly of = (credential: string): AbortSignal => {
    let controller = this.#open.get(credential);
    if (controller === undefined) {
      controller = new AbortController();
      if (this.#isClosed) controller.abort();
      else if (this.#ended.has(credential)) controller.abort(revoked());
      else this.#open.set(credential, controller);
    }
    return controller.signal;
  };

  /** The service is closed. */
  close(): void {
    this.#isClosed = true;
    for (const controller of this.#open.values()) controller.abort();
    this.#open.clear();
  }

  #onChange({ id, to }: Change): void {
    this.#ended.delete(id);
    if (to !== undefined) return;
    this.#ended.add(id);
    if (this.#ended.size > endedKept) this.#ended.delete(this.#ended.values().next().value!);
    this.#open.get(id)?.abort(revoked());
    this.#open.delete(id);
  }
}

function revoked(): PlannerError {
  return new PlannerError('unauthorized', 'The credential was revoked.');
}
