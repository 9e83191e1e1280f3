import type { EntryBody } from '../record/entry.ts';
import { fromEntryChange } from '../record/entry.ts';
import type { Entry } from '../record/log.ts';
import { freeze } from '../record/plain.ts';
import { LogTail } from './log-tail.ts';
import type { ProjectIndex } from './project-index.ts';
import type { RevisionIndex } from './revision-index.ts';
import type { ServiceRecords } from './service-records.ts';

/** The entry does not continue the replica's last entry: the replica has to be loaded again. */
export class ForkError extends Error {
  constructor(entry: Entry, reason: string) {
    super(`The entry ${entry.seq} (${entry.id}) of ${entry.project} cannot be applied: ${reason}.`);
  }
}

/**
 * One project in memory, as its log has it: records, history, versions, and the tail of the log. Independent of how
 * the log is stored, and of files.
 */
export class Replica<H extends RevisionIndex = RevisionIndex> {
  readonly project: string;
  /** The project's six-character code. */
  readonly code: string;
  readonly index: ProjectIndex;
  readonly history: H;
  readonly tail: LogTail;

  constructor({ project, code, index, history }: Pick<Replica<H>, 'project' | 'code' | 'index' | 'history'>) {
    this.project = project;
    this.code = code;
    this.index = index;
    this.history = history;
    this.tail = new LogTail(project);
  }

  /** Following changes of the index belong to the next entry, which will have this id. Returns their order. */
  readonly begin = (id: string): number => this.index.versions.begin(this.tail.head.seq + 1, id);

  /**
   * Applies the next entry of the log, which another node has appended; nothing may be in progress. Versions become
   * equal to that node's. The caller adds the revisions to the history. Throws `ForkError`, and changes nothing then.
   */
  apply(entry: Entry<EntryBody>, service: ServiceRecords): void {
    this.#applyRecords(entry);
    applyService(service, entry.body);
    this.tail.applied(entry, entry.body.at);
  }

  /** Applies an entry without the service's own records, where another object has applied them, or will. */
  applyAlone(entry: Entry<EntryBody>): void {
    this.#applyRecords(entry);
    this.tail.applied(entry, entry.body.at);
  }

  #applyRecords(entry: Entry<EntryBody>): void {
    const { body, seq, id } = entry;
    requireNext(this.tail, entry);
    const changes = body.changes.map((change) => fromEntryChange(change));
    for (const { id: record, from, to } of changes) {
      const isThere = this.index.record(record) !== undefined;
      if (isThere !== (from !== undefined || to === undefined))
        throw new ForkError(entry, `${record} is ${isThere ? 'there already' : 'not there'}`);
    }
    for (const { collection, id: record, to } of changes)
      this.index.apply({ collection, id: record, from: this.index.record(record), to: freeze(to) });
    this.index.versions.replay({ seq, id }, body.changes, {
      touched: body.touched,
      revisions: body.revisions.length > 0,
    });
  }
}

/** Applies an entry of the service's log. */
export function applyToService(tail: LogTail, entry: Entry<EntryBody>, service: ServiceRecords): void {
  requireNext(tail, entry);
  applyService(service, entry.body);
  tail.applied(entry, entry.body.at);
}

function requireNext({ head, isSpeculative }: LogTail, entry: Entry): void {
  if (isSpeculative) throw new Error('An entry was applied while appends are in progress.');
  if (entry.seq !== head.seq + 1 || entry.prevId !== head.id)
    throw new ForkError(entry, `the replica ends at ${head.seq} (${head.id ?? 'no entry'})`);
}

function applyService(service: ServiceRecords, { service: changes = [] }: EntryBody): void {
  for (const change of changes) {
    const { collection, id, to } = fromEntryChange(change);
    if (service.knows(collection)) service.apply({ collection, id, from: service.get(collection, id), to });
  }
}
