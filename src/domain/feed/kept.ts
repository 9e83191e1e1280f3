import { hash } from 'node:crypto';
import { canonicalJson } from '../../base/canonical-json.ts';
import { lazyHash, membersOf } from '../../store/index.ts';
import type { EventChange, Link, StoredEvent, StoredRecord } from '../../store/index.ts';
import type { LeaseRecord } from '../plan/leases.ts';

/** A larger former value is not kept for undoing, in bytes of JSON: a revision may have it. */
const formerBytesMax = 16 * 1024;

/** A field whose values the event of its change does not have. */
interface KeptField {
  /** The hash of its value after the change. */
  readonly is: string;
  /** Its value before; absent if a revision has it, and if it is too large. */
  readonly was?: unknown;
}

/** What the events of a change set keep for taking it back. */
export interface Kept {
  /** Of an update: the fields whose values are not among its changes. */
  readonly fields?: Readonly<Record<string, KeptField>>;
  /** Of a creation: the record's `updated_at`, if that is not the time of the change set. */
  readonly updated_at?: string;
  /** Of an update of a task: the claim that it ended. */
  readonly lease?: Pick<LeaseRecord, 'agent_ref' | 'lease_seconds' | 'expires_at' | 'session'>;
  /** Of a changed or deleted edge: the record at its start, and the edge as it was. */
  readonly edge?: { readonly from: string; readonly link: Link };
}

/** The members of an event that are kept. */
export function keptIn({ kept = {} }: StoredEvent): Kept {
  return kept;
}

/**
 * The fields of an update whose values are not among its changes. `former`: the values that it replaced. `versioned`: the
 * fields whose former values revisions have.
 */
export function keptFields(
  changes: readonly EventChange[],
  former: object,
  to: StoredRecord,
  versioned: ReadonlySet<string>,
): Kept['fields'] {
  const fields: Record<string, KeptField> = {};
  for (const change of changes) {
    const { field } = change;
    const [hasFormer, hasNew] = ['from' in change, 'to' in change];
    if (hasFormer && hasNew) continue;
    const was = hasFormer || versioned.has(field) ? undefined : formerOf(former, field);
    fields[field] = { is: digestOf(to, field), ...was };
  }
  return Object.keys(fields).length === 0 ? undefined : fields;
}

/** Without one that is not in memory: such a text is too large. */
function formerOf(former: object, field: string): { readonly was: unknown } | undefined {
  if (lazyHash(former, field) !== undefined) return undefined;
  const was = (former as Readonly<Record<string, unknown>>)[field] ?? null;
  return Buffer.byteLength(JSON.stringify(was)) > formerBytesMax ? undefined : { was };
}

/** A hash of a field's value, the same on every node: a text that is not in memory is known by its hash. */
export function digestOf(record: StoredRecord, field: string): string {
  const known = lazyHash(record, field);
  if (known !== undefined) return known;
  const value = membersOf(record)[field];
  return hash('sha256', typeof value === 'string' ? value : canonicalJson(value ?? null), 'hex');
}
