import { hash } from 'node:crypto';
import { SortedList } from '../../record/sorted-list.ts';
import type { ProjectList } from '../../record/read-transaction.ts';
import type { StoredRecord } from '../../record/record.ts';
import { byCreation } from '../../replica/table.ts';

interface Row {
  readonly id: string;
  readonly created_at: string;
  readonly record: StoredRecord;
  readonly digest: bigint;
  /** The code of the project, and the cursor of its present. */
  place: Place;
}

type Place = readonly [code: string, cursor: string];

const digestBits = 128;
const base36 = 36;

/**
 * The own records and cursors of all projects. A project whose record or log may have changed is marked, and looked at by the next
 * read, so that a read costs what has changed. The version is the sum of a digest of each record: the same on each node.
 */
export class NodeProjectList implements ProjectList {
  readonly #recordOf: (project: string) => StoredRecord | undefined;
  readonly #placeOf: (project: string) => Place;
  readonly #tagOf: (record: StoredRecord) => string;
  readonly #marked = new Set<string>();
  readonly #rows = new Map<string, Row>();
  readonly #order = new SortedList<Pick<Row, 'id' | 'created_at'>>(byCreation);
  #sum = 0n;
  #cursors: ReadonlyMap<string, string> | undefined;

  /** `tagOf`: a digest of the content of a record. */
  constructor({
    recordOf,
    placeOf,
    tagOf,
  }: {
    readonly recordOf: (project: string) => StoredRecord | undefined;
    readonly placeOf: (project: string) => Place;
    readonly tagOf: (record: StoredRecord) => string;
  }) {
    this.#recordOf = recordOf;
    this.#placeOf = placeOf;
    this.#tagOf = tagOf;
  }

  mark(project: string): void {
    this.#marked.add(project);
  }

  get version(): string {
    this.#refresh();
    return `${this.#rows.size.toString(base36)}-${this.#sum.toString(base36)}`;
  }

  *list(after?: { readonly created_at: string; readonly id: string }): IterableIterator<StoredRecord> {
    this.#refresh();
    for (const { id } of this.#order.values(after)) {
      const row = this.#rows.get(id);
      if (row !== undefined) yield row.record;
    }
  }

  get cursors(): ReadonlyMap<string, string> {
    this.#refresh();
    this.#cursors ??= new Map(Array.from(this.#order.values(), ({ id }) => this.#rows.get(id)!.place));
    return this.#cursors;
  }

  #refresh(): void {
    for (const id of this.#marked) {
      const former = this.#rows.get(id);
      const record = this.#recordOf(id);
      const place = record && this.#placeOf(id);
      // Each project that is loaded into memory, or dropped from it, is marked.
      if (place?.[1] !== former?.place[1]) this.#cursors = undefined;
      if (record !== undefined && record === former?.record) former.place = place!;
      else {
        if (former !== undefined) this.#remove(former);
        if (record !== undefined) this.#add(record, place!);
      }
    }
    this.#marked.clear();
  }

  #add(record: StoredRecord, place: Place): void {
    const { id, created_at } = record;
    const digest = BigInt(`0x${hash('sha256', `${id} ${this.#tagOf(record)}`, 'hex').slice(0, digestBits / 4)}`);
    const row = { id, created_at, record, digest, place };
    this.#rows.set(id, row);
    this.#order.add(row);
    this.#sum = BigInt.asUintN(digestBits, this.#sum + digest);
  }

  #remove(row: Row): void {
    this.#rows.delete(row.id);
    this.#order.delete(row);
    this.#sum = BigInt.asUintN(digestBits, this.#sum - row.digest);
  }
}
