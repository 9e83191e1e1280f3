import { inSlices, slice } from '../../base/slices.ts';
import { explainNotFound } from '../../store/index.ts';
import type { Collections, ReadTransaction } from '../../store/index.ts';
import type { AnyOperation, Context, Tag } from '../declaration/operation.ts';
import { Sliced } from '../declaration/sliced.ts';
import type { Call, Input, Outcome } from './call.ts';
import { entityTag, namesTag } from './preconditions.ts';

/** Runs an operation in a slice. If a record's file is unreadable, the error names the file instead of being only `not_found`. */
export function explaining<C extends Collections, T>(operation: string, view: ReadTransaction<C>, run: () => T): T {
  try {
    return slice(operation, run, view.project);
  } catch (thrown) {
    throw explainNotFound(view, thrown);
  }
}

/** The outcome of a read; only the tag if the caller has the current state already. */
export function answer<V>(
  operation: {
    readonly tag?: (view: V, input: Input, context: Context) => Tag;
    readonly run: (view: V, input: Input, context: Context) => unknown;
  },
  view: V,
  input: Input,
  call: Call,
): Outcome {
  const etag = operation.tag && call.tagless !== true ? entityTag(operation.tag(view, input, call)) : undefined;
  if (etag !== undefined && call.ifNoneMatch !== undefined && namesTag(call.ifNoneMatch, etag)) {
    return { value: undefined, etag, notModified: true };
  }
  return { value: operation.run(view, input, call), etag, notModified: false };
}

/** The outcome with its value; if the value is computed in slices, the computation has only started. A list gets its cursor. */
export async function finished(operation: AnyOperation, outcome: Outcome, call: Call): Promise<Outcome> {
  const { value, cursor } = outcome;
  const whole: unknown = value instanceof Sliced ? await inSlices(operation.name, value.steps) : value;
  if ('answerTag' in operation && operation.answerTag !== undefined && call.tagless !== true) {
    const etag = entityTag((operation.answerTag as (answer: unknown) => Tag)(whole));
    const isKnown = call.ifNoneMatch !== undefined && namesTag(call.ifNoneMatch, etag);
    return { ...outcome, value: isKnown ? undefined : whole, etag, notModified: isKnown };
  }
  if ('followable' in operation && operation.followable === true && cursor !== undefined && !outcome.notModified)
    return { ...outcome, value: { ...(whole as object), events_cursor: cursor } };
  return whole === value ? outcome : { ...outcome, value: whole };
}

/** Adds to an outcome the place in the feed up to which it shows the changes. */
export function withCursor<C extends Collections>({ cursor }: ReadTransaction<C>, outcome: Outcome): Outcome {
  return cursor === undefined ? outcome : { ...outcome, cursor };
}
