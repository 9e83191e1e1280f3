import type { ProjectIndex } from '../../replica/project-index.ts';
import type { Append, Log } from '../../record/log.ts';
import { withLaterFields } from '../../record/assemble.ts';
import type { Collection } from '../../record/collection.ts';
import type { EntryBody } from '../../record/entry.ts';
import { hasLazyText, lazyHashes } from '../../record/lazy-text.ts';
import type { LookUps } from '../../record/look-ups.ts';
import { freeze } from '../../record/plain.ts';
import type { StoredRecord } from '../../record/record.ts';
import { fromReferences } from '../../record/text-reference.ts';
import { HostedTexts } from './hosted-texts.ts';
import { type Lightened, Lightening } from './lightening.ts';
import type { RevisionStore } from '../storage/revision-store.ts';
import type { SharedStorage } from '../storage/shared-storage.ts';
import { TextLog } from './text-log.ts';
import { TextRevisions } from './text-revisions.ts';

export interface NodeTextsDeps {
  readonly storage: Pick<SharedStorage, 'texts' | 'revisions'>;
  readonly collections: ReadonlyMap<string, Collection>;
  readonly lookUps: LookUps;
  /** The index of a project that is in memory. */
  readonly indexOf: (project: string) => ProjectIndex | undefined;
}

/** How many characters of large texts a node keeps in memory. */
const charactersMax = 16 * 1024 * 1024;

/** Keeps large texts out of a node's memory, entries, snapshots and revisions. */
export class NodeTexts {
  /** Revisions with their texts. */
  readonly revisions: RevisionStore;
  readonly #collections: ReadonlyMap<string, Collection>;
  readonly #texts: HostedTexts;
  readonly #indexOf: NodeTextsDeps['indexOf'];
  readonly #lightened: Lightened = new WeakMap();

  constructor({ storage, collections, lookUps, indexOf }: NodeTextsDeps) {
    this.#collections = collections;
    this.#indexOf = indexOf;
    this.#texts = new HostedTexts({
      ...{ store: storage.texts, lookUps, charactersMax },
      near: (project, sha256, most) => textsNear(indexOf(project), sha256, most),
    });
    this.revisions = new TextRevisions(storage.revisions, this.#texts, collections);
  }

  /** Wraps a log for records with lazy texts. */
  over(log: Log<EntryBody>): Log<EntryBody> {
    return new TextLog(log, this.#collections, (project) => this.#texts.of(project));
  }

  /** A parsed record of a snapshot with all fields, and with lazy texts in place of references. */
  withLazyTexts(project: string, collection: string, record: StoredRecord): StoredRecord {
    const declared = this.#collections.get(collection);
    if (declared === undefined) return record;
    const whole = withLaterFields(declared, record);
    const { texts } = declared;
    const read = texts.length === 0 ? whole : fromReferences(whole, texts, this.#texts.of(project));
    return read === record ? record : freeze(read);
  }

  /** The lightening of the next entry of a project. */
  lightening(project: string): Lightening {
    return new Lightening(this.#collections, this.#texts.of(project), this.#lightened);
  }

  /**
   * An entry is durable. From now on memory has the entry's form of its records, because their large texts are stored.
   */
  stored({ project, body, beside }: Pick<Append<EntryBody>, 'project' | 'body' | 'beside'>): void {
    const index = this.#indexOf(project);
    for (const { sha256, text } of beside?.texts ?? []) this.#texts.keep(sha256, text);
    for (const { c, id, to } of body.changes) {
      const whole = to && hasLazyText(to) ? index?.record(id) : undefined;
      // The record may have been changed again.
      if (whole !== undefined && this.#lightened.get(whole) === to) index!.table(c).substitute(id, to!);
    }
  }
}

/** The large texts of the records that follow the owner of this text in its collection. */
function textsNear(index: ProjectIndex | undefined, sha256: string, most: number): readonly string[] {
  for (const table of index?.tables() ?? []) {
    let found: string[] | undefined;
    for (const record of table.values()) {
      const hashes = lazyHashes(record);
      if (hashes.includes(sha256)) found = [];
      found?.push(...hashes);
      if (found !== undefined && found.length >= most) break;
    }
    if (found !== undefined) return found.slice(0, most);
  }
  return [];
}
