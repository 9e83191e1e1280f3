import { Exclusive } from '../../commit/exclusive.ts';
import type { Followed } from '../../commit/catch-up.ts';
import { LogTail } from '../../replica/log-tail.ts';
import { applyToService } from '../../replica/replica.ts';
import type { ServiceRecords } from '../../replica/service-records.ts';
import type { Entry } from '../../record/log.ts';
import type { EntryBody } from '../../record/entry.ts';
import { freeze } from '../../record/plain.ts';
import type { StoredRecord } from '../../record/record.ts';
import { ForeignIds } from './foreign-ids.ts';
import type { PlacedRecords } from './placed-records.ts';

/**
 * The part of an unused project that a node keeps in memory: the end of its log, its own record for lists of projects,
 * and the service's records that its log has. Its log is followed; its other records are loaded when they are asked
 * for.
 */
export class ColdProject implements Followed {
  readonly id: string;
  readonly code: string;
  readonly exclusive: Exclusive;
  readonly placed: PlacedRecords;
  readonly foreign: ForeignIds;
  readonly replica: Followed['replica'];
  /** The project's own record, with its collection. */
  own: { readonly collection: string; readonly record: StoredRecord } | undefined;
  /** See `HostedProject`. */
  entryBytes = 0;

  constructor(
    { id, code }: Pick<ColdProject, 'id' | 'code'>,
    { placed, foreign = new ForeignIds(code) }: Pick<ColdProject, 'placed'> & Partial<Pick<ColdProject, 'foreign'>>,
    busy?: Set<Exclusive>,
  ) {
    this.exclusive = new Exclusive(busy);
    this.id = id;
    this.code = code;
    this.placed = placed;
    this.foreign = foreign;
    const tail = new LogTail(id);
    const apply = (entry: Entry<EntryBody>, service: ServiceRecords): void => {
      applyToService(tail, entry, service);
      for (const { id: changed, c: collection, to } of entry.body.changes)
        if (changed === id) this.own = to && { collection, record: freeze(to) };
    };
    this.replica = { project: id, tail, apply };
  }

  get record(): StoredRecord | undefined {
    return this.own?.record;
  }

  /** An entry of `characters` is durable. */
  note(body: EntryBody, characters: number): void {
    this.entryBytes += characters;
    this.foreign.note(body);
  }
}
