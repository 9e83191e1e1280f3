import { authorNamed } from '../access/authenticate.ts';
import type { Change, ChangeMeta } from '../../store/index.ts';
import type { AnyOperation, Context, Waits } from '../declaration/operation.ts';
import type { CallRenderings } from './call-renderings.ts';
import type { CarriedOut } from './repeat.ts';

export type Input = Readonly<Record<string, unknown>>;

/** One call of an operation, as a transport passes it. */
export interface Call extends Context {
  readonly ifMatch?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  /** The editing session that a change belongs to. */
  readonly editingSession?: string | undefined;
  /** The network address of a guest, for the rate limit. */
  readonly address?: string | undefined;
  /** The transport cannot send entity tags, so that tags are not computed. */
  readonly tagless?: boolean;
  readonly renderings?: CallRenderings;
  /** Called with all changes to a project's records before they are committed. Rolls them back by throwing. */
  readonly review?: ((changes: readonly Change[]) => void) | undefined;
}

/** The outcome of a call. `notModified`: the caller has the current response already, so it was not built. */
export interface Outcome {
  readonly value: unknown;
  /** The strong entity tag, quotes included. */
  readonly etag: string | undefined;
  readonly notModified: boolean;
  /** The cursor of the events after the state that a read of a project shows, or after the change set of a change. */
  readonly cursor?: string | undefined;
  /** Present for a retry whose first response is no longer stored; `value` is its message. */
  readonly carriedOut?: CarriedOut;
}

/** The metadata of a change that a call makes. */
export function metaOf(
  { imports }: AnyOperation,
  { agent_ref: ref }: Input,
  { caller, transport, editingSession }: Call,
): ChangeMeta {
  const isNamed = typeof ref === 'string' && caller.author.startsWith('agent:');
  const author = isNamed ? authorNamed(caller, ref) : caller.author;
  const meta = { author, source: transport, session: editingSession };
  return imports === true ? { ...meta, via: 'import' } : meta;
}

/** How a caller waits for the answer of an operation, if it may. */
export function waitsOf(operation: AnyOperation): Waits<Input, unknown> | undefined {
  return 'waits' in operation ? (operation.waits as Waits<Input, unknown> | undefined) : undefined;
}
