import { PlannerError } from '../../base/errors.ts';
import { AnsweredBefore, explainNotFound } from '../../store/index.ts';
import type { Collections, ServiceTx, Tx } from '../../store/index.ts';
import type { Steps } from '../../base/slices.ts';
import type { AnyOperation, InTransaction, ServiceContext, SlicedRule } from '../declaration/operation.ts';
import { replacing } from '../declaration/route-binding.ts';
import type { Call, Input, Outcome } from './call.ts';
import type { FirstResponse, KeyedCall } from './idempotency.ts';
import { entityTag, requireMatch } from './preconditions.ts';
import { resourceOf } from './repeat.ts';

/** Thrown inside a transaction to roll it back: the same call has completed in between. */
export class AlreadyExecuted {
  readonly first: FirstResponse;

  constructor(first: FirstResponse) {
    this.first = first;
  }
}

/**
 * Returns whether a call with a key that failed may have been executed: it was refused, perhaps because of a concurrent
 * execution of the same call at another node.
 */
export function mayBeExecuted(thrown: unknown): boolean {
  return isExecuted(thrown) || (thrown instanceof PlannerError && thrown.code !== 'unavailable');
}

/** Returns whether a call with a key was rolled back because it has been executed. */
export function isExecuted(thrown: unknown): boolean {
  return thrown instanceof AlreadyExecuted || thrown instanceof AnsweredBefore;
}

/** Runs a change inside its transaction, and stores its response if the call has an idempotency key. */
export function change<C extends Collections>(
  operation: InTransaction<C>,
  tx: Tx<C>,
  input: Input,
  call: Call,
  keyed: KeyedCall | undefined,
): Outcome {
  if (keyed !== undefined || call.ifMatch !== undefined) requireCurrent(operation, tx, input, call, keyed);
  return kept(operation, tx, input, call, keyed, operation.run(tx, input, call));
}

/** The rule in slices, if the operation has one for this input. */
export function slicedRuleOf<C extends Collections>(
  { sliced }: InTransaction<C>,
  input: Input,
): SlicedRule<C, Input, unknown>['run'] | undefined {
  return sliced === undefined || sliced.when?.(input) === false ? undefined : sliced.run;
}

/** Makes a change in slices. The same call may have completed in between, so this is checked again at the end. */
export function* changeSliced<C extends Collections>(
  operation: InTransaction<C>,
  rule: SlicedRule<C, Input, unknown>['run'],
  tx: Tx<C>,
  input: Input,
  call: Call,
  keyed: KeyedCall | undefined,
): Steps<Outcome> {
  try {
    requireCurrent(operation, tx, input, call, keyed);
    const value = yield* rule(tx, input, call);
    requireFirst(tx.service, tx.now, keyed);
    return kept(operation, tx, input, call, keyed, value);
  } catch (thrown) {
    throw explainNotFound(tx, thrown);
  }
}

/** Throws if a call with this key has completed. */
function requireFirst(records: ServiceTx, now: string, keyed: KeyedCall | undefined): void {
  const first = keyed?.find(records, now);
  if (first !== undefined) throw new AlreadyExecuted(first);
}

/** Throws if the call has completed, or if `If-Match` does not name the current state. */
function requireCurrent<C extends Collections>(
  operation: InTransaction<C>,
  tx: Tx<C>,
  input: Input,
  call: Call,
  keyed: KeyedCall | undefined,
): void {
  requireFirst(tx.service, tx.now, keyed);
  if (call.ifMatch !== undefined && operation.tag !== undefined)
    requireMatch(call.ifMatch, operation.tag(tx, input, call));
}

/** The response to a change. Stores it if the call has an idempotency key. */
function kept<C extends Collections>(
  operation: InTransaction<C>,
  tx: Tx<C>,
  input: Input,
  call: Call,
  keyed: KeyedCall | undefined,
  value: unknown,
): Outcome {
  call.renderings?.requireComplete();
  // The retry may use the other transport.
  const tagged = call.tagless !== true || keyed !== undefined;
  const etag =
    operation.tag && tagged && operation.rest !== undefined && replacing.has(operation.rest.method)
      ? entityTag(operation.tag(tx, input, call))
      : undefined;
  keyed?.keep(tx.service, tx.now, value, etag, { project: tx.project, resource: resourceOf(operation, value) });
  const { ownCursor: cursor } = tx;
  return { value, etag, notModified: false, ...(cursor !== undefined && { cursor }) };
}

/** Changes service records. */
export function changeService(
  operation: Extract<AnyOperation<Collections>, { readonly scope: 'service'; readonly effect: 'write' }>,
  service: ServiceContext<ServiceTx>,
  input: Input,
  call: Call,
  keyed: KeyedCall | undefined,
): Outcome {
  requireFirst(service.records, service.now, keyed);
  const value: unknown = operation.run(service, input, call);
  keyed?.keep(service.records, service.now, value, undefined);
  return { value, etag: undefined, notModified: false };
}
